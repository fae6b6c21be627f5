@njit(error_model="numpy", fastmath={"contract"}, pipeline_class=Distinct)
def logistic_value_and_grad_panel_rows(size, y, logits, logits_bar, t):
    """The rows of one panel for one lane; returns its sums so far."""
    use_wide_registers()
    for i in range(size):
        y_i = y[i]
        logits_i = logits[i]
        logits_bar[i] = y_i - (fast_expit(logits_i) + (0.0 if logits_i < np.inf else np.nan))
        t = plus(t, y_i * logits_i + fast_log_expit(-logits_i))
    return t


@njit(error_model="numpy")
def logistic_value_and_grad_panel(waiting, F_all, F_kept, X, y):
    """Lanes in `waiting`: 1,500 rows, a panel of them after the other."""
    n = len(waiting)
    logits_memory = aligned(n * 1024, np.float64)
    logits_bar_memory = aligned(n * 1024, np.float64)
    q_rows = np.empty((n, 30))
    t2_sum = np.zeros((n, 30))
    t = np.empty(n, np.float64)
    for j in range(n):
        k = waiting[j]
        q_rows[j] = F_all[k, Q : Q + 30]
        t[j] = F_kept[k, 0]
    for first in range(0, 1500, 1024):
        size = min(1024, 1500 - first)
        X_panel = X[first : first + size]
        y_panel = y[first : first + size]
        logits = logits_memory[: n * size].reshape(n, size)
        logits_bar = logits_bar_memory[: n * size].reshape(n, size)
        put_product(logits, q_rows, X_panel.T)
        for j in range(n):
            t[j] = logistic_value_and_grad_panel_rows(size, y_panel, logits[j], logits_bar[j], t[j])
        add_product_to(t2_sum, logits_bar, X_panel)
    for j in range(n):
        k = waiting[j]
        F_all[k, T2 : T2 + 30] = t2_sum[j]
        F_kept[k, 1] = t[j]


@njit(cache=True, nogil=True, error_model="numpy")
def logistic_value_and_grad_lanes(first, last, limit, failed, q_lanes, X, y, out0, out1):
    """Lanes first to last together; first if one of them needs a larger stack, else last."""
    use_wide_registers()
    count = last - first
    F_all = np.empty((count, 90), np.float64)
    F_kept = np.empty((count, 2), np.float64)
    places = np.full(count, -1)  # where each lane is; -1: at its start
    waiting = np.empty(count, np.int64)
    while True:
        for lane in range(first, last):
            pc = places[lane - first]
            if pc == 1 or pc == 2:
                continue
            F = F_all[lane - first]
            if pc == -1:
                for k in range(30):
                    F[Q + k] = q_lanes[lane, k]
                result = 0.0
                pc = 0
            while True:
                if pc == 0:  # logistic_value_and_grad
                    F_kept[lane - first, 0] = 0.0
                    pc = 2
                    break
                elif pc == 3:  # logistic_value_and_grad, the product taken
                    t = F_kept[lane - first, 1]
                    t3 = 0.0
                    for i in range(30):
                        q_i = F[Q + i]
                        F[Q_BAR + i] = F[T2 + i] - q_i
                        t3 = muladd(q_i, q_i, t3)
                    result = t - 0.5 * t3
                    pc = 1
                else:
                    break
            places[lane - first] = pc
            if pc == 1:
                out0[lane] = result
                for k in range(30):
                    out1[lane, k] = F[Q_BAR + k]
            if stopped(failed):
                break
        if stopped(failed):
            break
        wanted, most = 0, 0
        for place in (2,):
            n = np.sum(places == place)
            if n > most:
                wanted, most = place, n
        if most == 0:
            break
        n = 0
        for k in range(count):
            if places[k] == wanted:
                waiting[n] = k
                n += 1
        if wanted == 2:
            for begin in range(0, n, 128):
                some = waiting[begin : min(begin + 128, n)]
                logistic_value_and_grad_panel(some, F_all, F_kept, X, y)
            for j in range(n):
                places[waiting[j]] = 3
    raise_waiting(failed)
    return last


def logistic_value_and_grad_batch(q, X, y):
    """`logistic_value_and_grad` over lanes (lanewise).

    Made for q: f8[lanes, 30], X: f8[1500, 30], y: f8[1500].
    """
    q = _given("q", q, "f8", None, 30)
    X = _given("X", X, "f8", 1500, 30)
    y = _given("y", y, "f8", 1500)
    lanes = _lanes(q)
    result, q_bar, _ = _run_lanes(
        logistic_value_and_grad_lanes,
        lanes,
        limit=1000000,
        threads=0,
        stacks=(),
        together=True,
        arguments=(q, X, y),
        results=(("f8",), ("f8", 30)),
    )
    return result, q_bar
