def bubble(x):
    n = len(x)
    x = x.copy()
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x_j = x[j]
                x[j] = x[j + 1]
                x[j + 1] = x_j
    return x
