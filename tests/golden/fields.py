def step(self_x, self_v, dt):
    self_v -= dt * self_x
    self_x += dt * self_v
    return self_x, self_v


def oscillator(x, n):
    body_x = x
    body_v = 0.0
    for _ in range(n):
        body_x, body_v = step(body_x, body_v, 0.01)
    return body_x
