"""Every NumPy function of arrays that docs/functions.md lists, with the arguments of NumPy's signature."""

from __future__ import annotations

from hunt.arithmetic import OPERATORS, SHAPES, forms
from hunt.case import Case
from hunt.writer import Writer

KEPT = ("sum", "prod", "mean", "var", "std", "max", "min", "all", "any", "argmax", "argmin", "amax", "amin")
REDUCTIONS = (
    *(f"np.{name}({{a}}, axis={{axis}})" for name in KEPT),
    *(f"np.{name}({{a}}, axis={{axis1}}, keepdims={{bool}})" for name in KEPT),
    *(f"np.{name}({{a}}, {{axis}})" for name in KEPT),
    *(f"np.{name}({{x}})" for name in KEPT),
    *(f"{{a}}.{name}()" for name in KEPT[:11]),
    *(f"{{a}}.{name}(axis={{axis1}})" for name in KEPT[:11]),
    *(f"np.{name}({{a}}, axis={{axis}}, keepdims={{bool}})" for name in KEPT[:9]),
    *(f"np.{name}({{a}}, keepdims=True)" for name in KEPT),
    *(f"np.{name}({{a}}, dtype={{dt}})" for name in ("sum", "prod", "mean", "cumsum", "sum")),
    *(f"np.{name}({{a}}, axis={{axis1}}, dtype={{dt}})" for name in ("sum", "prod", "mean", "cumsum")),
    *(f"np.{name}({{x}} > {{y}})" for name in ("sum", "all", "any", "mean", "argmax")),
    *(f"np.{name}({{a}} > {{y}}, axis={{axis1}})" for name in ("sum", "all", "any", "prod")),
    "np.var({a}, ddof={k})", "np.std({a}, axis={axis1}, ddof=1)",
    "np.var({a}, axis={axis}, ddof=1, keepdims={bool})", "np.cumsum({a})", "np.cumsum({a}, axis={axis1})",
    "{a}.cumsum()", "{v}.cumprod()", "{a}.argsort()", "{a}.argsort(axis={axis1})", "{a}.nonzero()[0]",
    "{v}[{v}.argsort()].searchsorted({v})", "np.diff({v})", "np.diff({a}, axis={axis1})", "np.diff({v}, n=2)",
    "np.diff({a}, {k}, {axis1})", "np.linalg.norm({a})", "np.linalg.norm({a}, axis={axis1})",
    "np.linalg.norm({a}, axis={axis1}, keepdims={bool})", "np.linalg.norm({v}, ord=2)", "max({v})", "min({v})",
    "sum({v})", "np.add.reduce({v})", "np.sum([{n}, {n}])", "np.max((np.sum({a}), {n}))", "np.mean([{n}, {c}])",
    "len({a})", "{a}.size", "{a}.ndim", "{a}.shape", "np.size({a})", "np.shape({a})", "np.ndim({x})",
)  # fmt: skip
KEYWORDS = (
    "np.sum({a}, initial={c})", "np.prod({a}, initial={c})", "np.max({a}, initial={c})",
    "np.min({a}, axis={axis1}, initial={c})", "np.sum({a}, where={a} > 0)", "np.mean({a}, where={a} > 0)",
    "np.cumprod({v})", "np.ptp({a})", "np.median({v})", "np.nansum({a})", "np.count_nonzero({a})",
    "np.average({v})", "np.linalg.norm({v}, ord=1)", "np.linalg.norm({v}, np.inf)", "np.sort({v})",
    "np.diff({v}, prepend={c})", "np.diff({v}, append={c})", "np.argsort({v}, kind='stable')", "np.nanmax({a})",
    "np.percentile({v}, 50)", "np.var({a}, mean=np.mean({a}))", "np.var({a}, correction=1)",
    "np.any({a}, where={a} > 0)",
)  # fmt: skip
SHAPING = (
    "{a}[{a} > {n}]", "np.sum({a}[{a} > 0])", "{v}[{v} != {c}] * 2", "{m}[{m}[:, 0] > 0]", "{m}[:, {m}[0] > {c}]",
    "{m}[{m}[:, 0] > 0, -1]",
    "np.reshape({a}, -1)", "{a}.reshape(-1)", "{a}.reshape(1, -1)", "np.reshape({a}, (-1, 1))", "np.ravel({a})",
    "{a}.ravel()", "np.transpose({a})", "np.transpose({m}, (1, 0))", "np.transpose({m}, axes=(1, 0))",
    "{m}.transpose(1, 0)", "{a}.flatten()", "np.concatenate(({a}, {like}))",
    "np.concatenate([{a}, {like}], axis={axis1})", "np.concatenate(({v}, {v}))", "np.stack(({a}, {like}))",
    "np.stack([{a}, {like}], axis={axis1})", "np.stack([{n}, {n}])", "np.hstack(({a}, {like}))",
    "np.vstack(({a}, {like}))", "np.concatenate({m})", "np.stack({m})", "np.hstack({m})",
    "np.concatenate(({v}, [{n}, {c}]))", "np.array([{n}, {n}])", "np.array([{n}, {c}])",
    "np.array([[{n}, {n}], [{c}, {n}]])", "np.array([{v}, {like}])", "np.array({a})", "np.asarray({a})",
    "np.array({a}, dtype={dt})", "np.asarray([{n}, {n}], dtype={dt})", "np.tile({v}, 2)", "np.tile({a}, {k})",
    "np.tile({v}, (2, 2))", "np.tile({a}, reps=2)", "np.flip({a})", "np.flip({a}, {axis1})",
    "np.flip({a}, axis={axis})", "np.roll({a}, {k})", "np.roll({a}, -1)", "np.roll({a}, {k}, axis={axis1})",
    "np.roll({a}, shift=-{k}, axis={axis1})", "np.roll({m}, (1, 2), axis=(0, 1))", "np.take({v}, {idx})",
    "np.take({a}, [0, 0])", "np.take({a}, {idx}, axis={axis1})", "np.take({a}, np.array([0, -1]), axis={axis1})",
    "{v}.take([0])", "np.broadcast_to({v}, (2, len({v})))", "np.broadcast_to({n}, (2, 2))",
    "np.broadcast_to({a}, shape={a}.shape)", "np.squeeze({a})", "np.squeeze({a}, axis={axis1})",
    "np.expand_dims({a}, {axis1})", "np.expand_dims({a}, axis=0)", "np.swapaxes({m}, 0, 1)",
    "np.swapaxes({a}, axis1=0, axis2=-1)", "np.moveaxis({a}, 0, -1)", "np.moveaxis({a}, source=-1, destination=0)",
    "np.append({v}, {n})", "np.append({v}, {v})", "np.repeat({v}, 2)", "np.repeat({a}, {k})",
    "np.repeat({a}, 2, axis={axis1})",
    "np.atleast_1d({x})", "np.atleast_2d({x})", "{a}.T", "{a}.squeeze()", "{m}.swapaxes(0, 1)", "np.fliplr({m})",
    "np.flipud({m})", "np.column_stack(({v}, {like}))", "np.copy({a})", "np.split({v}, 1)[0]", "np.triu({m})",
    "np.tril({m})", "np.triu({a}, {k})", "np.tril({a}, k=-1)", "np.meshgrid({v}, {v})[0]",
    "np.full_like({a}, {c})", "np.zeros_like({a})",
    "np.ones_like({a}, dtype={dt})", "np.full_like({a}, {n}, dtype={dt})", "np.zeros_like({x})",
    "np.ones_like({a})", "np.ones_like({n})",
)  # fmt: skip
PRODUCTS = (
    "{m} @ {m}", "{m} @ {v}", "{v} @ {m}", "{v} @ {v}", "{v} @ {like}", "np.dot({v}, {like})", "np.dot({m}, {v})",
    "np.dot({n}, {a})", "np.dot({m}, {m})", "np.vdot({a}, {like})", "np.inner({v}, {like})", "np.inner({m}, {v})",
    "np.inner({n}, {a})", "np.outer({v}, {v})", "np.outer({a}, {a})", "np.outer({n}, {v})",
    "np.cross({v}, {like})", "np.cross({m}, {like})", "np.cross({a}, {v})", "np.trace({m})", "np.trace({m}, {k})",
    "np.trace({m}, offset=1)", "np.matmul({m}, {v})", "np.dot(a={v}, b={like})",
    "np.cross({m}, {like}, axis={axis1})", "np.trace({a})", "{m} @ {m}.T", "{v}.dot({like})",
    "np.multiply.outer({v}, {v})", "np.kron({v}, {v})", "np.einsum('i,i->', {v}, {like})",
    "np.einsum('ij,j->i', {m}, {v})", "np.einsum('ij,kj', {m}, {m})", "np.einsum('ij->j', {m})",
    "np.einsum('...i->...', {a})", "np.linalg.solve({m} @ {m}.T + 99 * np.eye(len({m})), {m})",
    "np.tensordot({m}, {m})", "{a} @ {a}", "np.vdot({v}, {v})",
)  # fmt: skip
MAKING = (
    "np.zeros(3)", "np.zeros({k})", "np.zeros((2, {k}), {dt})", "np.ones({k}, dtype={dt})", "np.ones(len({a}))",
    "np.full({k}, {n})", "np.full((2, 2), {c})", "np.full({k}, {n}, dtype={dt})",
    "np.full(shape=2, fill_value={n})", "np.arange({k})", "np.arange({k}, 7)", "np.arange(1, 9, {k})",
    "np.arange(5, 0, -2)", "np.arange({n}, {c})", "np.arange(0.0, 1.0, 0.25)", "np.arange({k}, dtype={dt})",
    "np.arange({n})", "np.linspace({n}, {c}, {k})", "np.linspace(0, 1, 5)",
    "np.linspace({n}, {n}, num={k}, endpoint={bool})", "np.linspace({n}, {c}, 3, dtype={dt})", "np.eye({k})",
    "np.eye({k}, 2)", "np.eye(3, k=1)", "np.eye(2, M=3)", "np.eye({k}, dtype={dt})", "np.diag({v})",
    "np.diag({m})", "np.diag({v}, 1)", "np.diag({m}, k=-1)", "np.identity({k})", "np.zeros({a}.shape)",
    "np.arange(len({a}))", "np.linspace({v}[0], {n}, 3)", "(np.empty({k}) * 0 == 0) >= False",
    "np.arange({i}, {i} + 3)", "np.zeros(shape=(2,), dtype={dt})", "np.indices((2, 2))[0]",
)  # fmt: skip
NAMED = (
    "np.fmax({a}, {c})", "np.fmin({v}, {like})", "np.fmod({v}, {like})", "np.modf({a})[0]", "np.divmod({v}, {like})[1]",
    "np.heaviside({a}, {c})", "np.deg2rad({a})", "np.degrees({n})", "np.sinc({a})", "np.nan_to_num({a}, nan=1.0)",
    "np.isclose({v}, {like})", "np.allclose({a}, {c})", "np.isposinf({a})", "np.float_power({a}, 2)",
    "np.logaddexp2({v}, {like})", "np.gcd({v}, {like})", "np.lcm({v}, 6)", "np.ptp({a}, axis={axis1})",
    "np.count_nonzero({a}, axis={axis1})", "np.nansum({a}, axis={axis1})", "np.nanmean({a})", "np.nanmax({a})",
    "np.nanmin({a}, axis={axis1}, keepdims=True)", "np.nanvar({a}, axis={axis1})", "np.nanstd({v}, ddof=1)",
    "np.nanprod({a})", "np.nancumsum({v})", "np.nanargmax({v})", "np.average({a}, axis={axis1})",
    "np.average({v}, weights={like})", "np.trapezoid({a})", "np.trapezoid({v}, {like})", "np.cov({m})",
    "np.corrcoef({v}, {like})", "np.gradient({v})", "np.gradient({a}, {c}, axis={axis1})", "np.sort({a})",
    "np.sort({a}, axis={axis1})", "np.argsort({v}, kind='stable')", "np.searchsorted(np.sort({v}), {like})",
    "np.digitize({a}, [0.0, 1.0])", "np.median({a})", "np.median({a}, axis={axis1})", "np.percentile({v}, 30)",
    "np.quantile({a}, [0.25, 0.5], axis={axis1})", "np.cumprod({a}, axis={axis1})", "np.ediff1d({a})",
    "np.interp({c}, [0.0, 1.0], [2.0, 3.0])", "np.convolve({v}, {like})", "np.convolve({v}, [1, 2], 'same')",
    "np.correlate({v}, {like}, 'full')", "np.bincount(np.abs({v}) % 3, minlength=3)", "np.histogram({v}, 3, (0, 4))[0]",
    "np.unique({v})", "np.flatnonzero({a})", "np.vstack(({v}, {like}))", "np.dstack(({a}, {like}))",
    "np.column_stack(({v}, {like}))", "np.array_split({v}, 2)[1]", "np.split({m}, 1, axis=1)[0]", "np.pad({v}, 2)",
    "np.pad({a}, 1, 'edge')", "np.pad({v}, (1, 2), 'reflect')", "np.pad({v}, 1, 'wrap')", "np.pad({a}, 1, 'mean')",
    "np.pad({a}, 2, 'maximum')", "np.pad({v}, {k}, 'linear_ramp')", "np.subtract.accumulate({a})",
    "np.hypot.reduce({fa}, axis={axis1})", "np.nanquantile({a}, [0.25, 1.0], axis={axis1})", "np.rot90({m})",
    "np.rot90({m}, -1)", "np.rollaxis({m}, 1)", "np.diagonal({m}, 1)", "np.diagflat({v}, {k})", "np.atleast_3d({x})",
    "np.kron({v}, {a})", "np.tensordot({m}, {m}, axes=((0,), (0,)))", "np.vander({v}, 3)", "np.tri({k}, 2)",
    "np.meshgrid({v}, [1, 2], indexing='ij')[0]", "np.indices((2, {k}))[1]", "np.select([{v} > {c}], [{v}], 0)",
    "np.take_along_axis({m}, np.argsort({m}, axis=1), axis=1)", "np.linalg.det({m} @ {m}.T + 9 * np.eye(len({m})))",
    "np.linalg.inv({m} @ {m}.T + 99 * np.eye(len({m})))", "np.linalg.slogdet({m} @ {m}.T + 9 * np.eye(len({m})))[1]",
    "np.linalg.cholesky({m} @ {m}.T + 99 * np.eye(len({m})))", "np.linalg.matrix_power({m} @ {m}.T, 2)",
    "np.logspace(0, 1, {k})", "np.partition({v}, 0)[0]", "np.nonzero({a})", "np.argwhere({v})",
    "np.compress([True, False], {a}, axis={axis1})", "np.extract({v} > {c}, {v})", "np.choose([0, 1], [{n}, {c}])",
    "np.insert({v}, {k}, {n})", "np.insert({a}, 0, {c}, axis={axis1})", "np.delete({v}, 0)",
    "np.delete({a}, -1, axis={axis1})", "np.unravel_index({i}, (2, 3))", "np.ravel_multi_index(({i}, {k}), (3, 4))",
    "np.polyval(np.append({v}, 1), {n})", "np.polyval([1, 2], {a})", "np.vecdot({v}, {like})",
    "np.matrix_transpose({m})", "np.nanmedian({a}, axis={axis1})", "np.nanmedian({v})", "np.isin({a}, {v})",
    "np.union1d({v}, {like})",
    "np.intersect1d({v}, {like})", "np.setdiff1d({v}, [1, 2])", "np.tril_indices({k})[0]", "np.triu_indices(3, 1)[1]",
    "np.linalg.norm({v}, 1)", "np.linalg.norm({v}, np.inf)", "np.linalg.norm({a}, 3, axis={axis1})",
    "np.linalg.norm({v}, 0)", "np.linalg.norm({m}, 1)", "np.linalg.norm({m}, -np.inf)", "np.linalg.trace({m})",
    "np.linalg.vector_norm({a}, axis={axis1})", "np.linalg.matrix_norm({m})", "np.linalg.vecdot({v}, {like})",
    "operator.add({x}, {y})", "operator.mul({x}, {y})",
    "math.prod({a}.shape)", "math.comb({k}, 2)", "math.factorial({k})", "math.isqrt({k})", "math.cbrt({n})",
    "np.subtract.outer({v}, {a})", "np.maximum.outer({n}, {v})", "np.less.outer({a}, {v})", "np.maximum.reduce({a})",
    "np.minimum.reduce({a}, axis={axis1})", "np.maximum.accumulate({a})", "np.minimum.accumulate({v})",
    "np.add.accumulate({a})", "np.logaddexp.reduce({fa})", "np.logaddexp.accumulate({fa})", "np.logical_or.reduce({v})",
    "np.linalg.eigvalsh({m} @ {m}.T)", "np.linalg.svd({m}, compute_uv=False)", "np.linalg.norm({m}, 2)",
    "np.linalg.pinv({m} @ {m}.T + 9 * np.eye(len({m})))", "np.finfo({fa}.dtype).eps", "np.max({a})[..., None]",
    "sp.gammainc({fa}, {c})", "sp.gammaincc({fa}, {fa})", "sp.betainc({c}, {c}, {fa})",
    "math.gcd({k}, {k})", "math.lcm({k}, 6)", "math.remainder({n}, {n})",
    "math.isclose({n}, {c})", "math.degrees({n})", "math.fmod({n}, {c})",
    "sp.betaln({fa}, {c})", "sp.beta({fa}, {fa})", "sp.erfcx({fa})", "sp.log_ndtr({fa})", "sp.ndtri({fa})",
    "sp.erfinv({fa})", "sp.i0e({fa})", "sp.i1({fa})", "sp.kl_div({fa}, {c})", "sp.boxcox({fa}, {c})", "sp.exprel({fa})",
    "sp.huber({c}, {fa})", "sp.comb(5, {fa})", "sp.softplus({fa})", "sp.cosm1({fa})",
    "np.polyadd({v}, [1, 2])", "np.polysub({v}, {like})", "np.polymul({v}, [1, 2])", "np.polyder({v})",
    "np.polyder({v}, {k})", "np.polyint({v})", "np.lexsort(({v}, {like}))", "np.setxor1d({v}, [1, 2])",
    "np.nanquantile({a}, 0.3)", "np.nanpercentile({a}, 30, axis={axis1})", "np.resize({a}, ({k}, 3))",
    "np.apply_along_axis(np.sum, {axis1}, {a})", "np.apply_along_axis(np.cumsum, {axis1}, {a})", "np.hanning({k})",
    "np.kaiser({k}, 3.0)", "np.array_equiv({a}, {like})", "np.unwrap({v})", "np.unwrap({a}, axis={axis1})",
    "np.angle({a})", "np.fabs({fa})", "np.spacing({fa})", "np.nextafter({fa}, {c})", "np.ldexp({fa}, {k})",
    "np.cumulative_sum({v})", "np.block([{v}, {like}])", "np.block([[{m}, {m}], [{m}, {m}]])", "np.matvec({m}, {v})",
    "np.vecmat({v}, {m})", "np.linalg.qr({m} @ {m}.T + 9 * np.eye(len({m})))[1]", "math.modf({n})[0]",
    "math.nextafter({n}, {c})", "math.ulp({n})", "math.ldexp({n}, {k})", "sp.j0({fa})", "sp.j1({fa})",
    "sp.zeta(np.minimum({fa}, 40), {c})", "sp.owens_t({fa}, {c})", "np.i0({fa})",
    "np.mgrid[0:{k}, -1:{n}][1]", "np.ogrid[{n}:{k}, :2][0]",
    "np.ix_({v}, [0, 1])[0]", "{m}[np.ix_([0, 0], [-1])]", "np.broadcast_arrays({a}, {n})[1]",
    "np.broadcast_arrays({v}, {m})[0]", "np.histogram2d({v}, {like}, 2, ((-3, 4), (0, 4)))[0]",
    "np.unique({a}, return_counts=True)", "np.unique({v}, return_index=True, return_inverse=True)",
    "np.unique({a}, return_inverse=True)[1]",
    "np.quantile({a}, [0.25, 0.5], axis={axis1}, method='hazen')", "np.quantile({v}, {k} / 4, method='inverted_cdf')",
    "np.nanquantile({fa}, [[0.25, 1.0]], method='weibull')", "np.percentile({a}, [10, 1], axis=(0,), keepdims=True)",
    "np.quantile({v}, 0.3, method='inverted_cdf', weights=np.abs({v}) + 1)", "np.unique({m}, axis=0)",
    "np.unique({m}, return_counts=True, axis=1)[1]", "np.trim_zeros({v})", "np.bitwise_count({v})",
    "np.reshape({m}, (-1,), order='F')", "{m}.ravel('F')", "np.array({v}, ndmin=2)",
    "np.take({v}, [{k}, -3], mode='wrap')",
    "np.take({m}, [{k}, -3], axis=1, mode='clip')", "np.searchsorted({v}, {like}, sorter=np.argsort({v}))",
    "np.cov({m}, aweights=np.abs({m}[0]) + 1)", "np.average({m}, axis=(1,), weights=np.abs({m}[0]) + 1)",
    "np.pad({a}, 1, 'median')", "np.pad({v}, 2, 'mean', stat_length=((1, 2),))", "np.histogram({v}, 'sqrt')[0]",
    "np.histogram_bin_edges({fa}, 'auto')", "np.nanvar({fa}, axis={axis1}, correction=0.5)",
    "np.var({a}, axis={axis1}, where={a} > {c})", "np.nanmean({fa}, where={fa} > {c})",
    "np.interp({fa}, [0.0, 1.0], [2.0, 3.0], period=1.5)", "np.linalg.matrix_rank({m} @ {m}.T, hermitian=True)",
    "np.median({a}, axis={axis1}, out=np.zeros(1))", "np.isclose({v}, {k}, rtol=0.3)", "np.isscalar({x})",
    "np.put({v}.copy(), [{k}, -2], {c}, mode='wrap')", "np.unique({fa}, equal_nan=False)", "{v}.tolist()",
    "np.asfortranarray({m})",
    "np.frexp({fa})[0]", "np.frexp({a})[1]", "math.frexp({n})[1]", "np.piecewise({v}, [{v} > {c}], [{c}, {n}])",
)  # fmt: skip
INDEXED = (
    "{a}[np.array([0, -1])]", "{a}[[0, 0]]", "{v}[{i}]", "{v}[{v} > {c}]", "np.where({a} > {c})[0]",
    "{m}[{k}, {k}]", "{m}[[0, 0], [0, -1]]", "{a}[{slice}][{slice}]", "{m}[:, [0, 0]]", "{m}[..., {slice}]",
    "{a}[-1]", "{a}[0]", "{a}[None, ..., {idx}]", "{v}[{i} % max(len({v}), 1)]", "{a}[...]", "{a}[()]",
    "{v}[{idx}:]", "{v}[:{k}]", "{v}[:{i}]", "{v}[{i}:{i}]", "{v}[{k}:{k}] + {c}", "{v}[:{k}] + {v}",
    "{m}[:, :{k}] * {m}", "{v}[::{k}]", "{v}[{i}:{i}:-1]", "{m}[np.array([[0], [0]]), np.array([0, -1])]",
    "{v}[np.argmax({v})]", "{m}[{slice}, None, {idx}]", "{v}[np.array([True, False])]", "{v}[1:] - {v}[:-1]",
    "{v}[::-1] * {v}",
)  # fmt: skip
MIXED = (*OPERATORS[:20], *SHAPES)


def functions(seed: int, family: str = "functions") -> Case:
    w = Writer(family, seed)
    for _ in range(w.pick.randint(1, 2)):
        w.array()
    if w.pick.random() < 0.4:
        w.number()
    tables = (REDUCTIONS, REDUCTIONS, SHAPING, SHAPING, PRODUCTS, MAKING, INDEXED, NAMED, NAMED)
    if w.pick.random() < 0.5:
        w.assign(MIXED)
    w.assign(KEYWORDS if w.pick.random() < 0.06 else w.pick.choice(tables))
    if w.pick.random() < 0.5:
        w.assign(w.pick.choice((*tables, MIXED, MIXED)))
    return Case(family, seed, w.text(), forms(w))


def reductions(seed: int) -> Case:
    """Every reduction by axis and keepdims, of every dtype, of empty arrays too."""
    w = Writer("reductions", seed, narrow=0.7)
    w.array()
    if w.pick.random() < 0.3:
        w.assign(MIXED)
    for _ in range(w.pick.randint(1, 2)):
        w.assign(REDUCTIONS)
    return Case("reductions", seed, w.text(), forms(w))
