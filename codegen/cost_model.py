"""What loops are made by: the constants that decide speed and size of emitted code, and nothing of its meaning.

Under each heading is what the numbers were measured by, or taken from. A constant that changes a result, or says what a
machine can hold at all, stands beside the code that needs it.
"""

# Calls written out. `scripts/bench first_use`: a call, its tuple and its copies cost about as many lines of text.
INLINED_EQUATIONS = 12  # of a function that is put in place of each of its calls
PLACED_EQUATIONS = (
    200  # of all copies of a function that loops call and the compiler puts in place of its calls
)
RECURSIVE_EQUATIONS, RECURSIVE_CALLS = (
    12,
    2,
)  # of a recursive one that is once put into itself; more are slower again
WRITES_LOOKED_THROUGH = 16  # of a chain, by each read of the array; more take compile time for nothing

# Elementwise fusion. `scripts/bench kernels` (Black-Scholes, cross-entropy), `scripts/npbench`.
RECOMPUTED_COST = 2.0  # operations of an element that is computed again rather than stored and read
FUSED_COST = 400.0  # operations of an element that is not stored: the text stays of the size of the program
ARRAYS_OF_ONE_LOOP = 8  # written
CONCATENATED_PARTS = 9  # of a nest that is split; with more, the concatenation is stored
WIDEST_FRAME = 8  # around what is written to the inside of an array: the inside is nearly all

# Lists that get longer have twice the room each time, as CPython's nearly do.
LEAST_ROOM = 8  # items at first

# Small arrays as numbers. Two predators and their prey, three bodies, quaternions: 5 to 10 times the speed.
SMALL_ARRAY = 16  # elements at most
SMALL_PRODUCT = 64  # multiplications of a product that BLAS takes longer to begin
UNROLLED_EQUATIONS = 256  # of a loop over their places
AGAIN_UNROLLED = 2000  # equations more than before in loops, which take two seconds to compile
ONCE_UNROLLED = 200  # and of those that run once in a call, which save microseconds

FEW_ITERATIONS = 32  # of a loop that is written out where its index must be known, or its arrays' sizes
# Of a loop that is written out so that lists have known lengths: what takes no time to compile (gradients of 600, which
# may be small systems, took a minute and ran as fast as the loop), and ten seconds, where nothing but that is left.
LISTED_EQUATIONS, LISTED_AT_MOST = 100, 6000
FLOATS_AT_MOST = (
    300  # of a loop over floats that are known: one of 600 took a minute to compile, the loop ten seconds
)

# Vectors. `scripts/bench kernels`, and a look at the machine code.
SCALAR_ITERATIONS = 8  # below which vectors are not worth their prologue
STRIP = 1024  # iterations by functions of near arguments, computed again where one was not
FEWEST_IN_STRIPS = 256  # below which the other loop beside it costs more to compile than it saves
DISTRIBUTED_COST = 3.0  # of the loops that one becomes, of its own operations

# Threads. `scripts/bench kernels` (hotspot, k-means) on two cores.
SERIAL_ITERATIONS = 64  # below which a loop is not shared
PARALLEL_OPERATIONS = 2**15  # from which a loop that is met again and again is shared: about 10 microseconds
ASSUMED_INNER_ITERATIONS = 16  # of an inner loop of unknown count
CHECKING_SHARE = 0.5  # of a loop's work, that may go into asking beforehand whether an iteration fails

# Sums of columns on a GPU. As many threads as keep one busy, each with a few rows, so that a part is worth its place.
THREADS_OF_A_GPU = 2**18
ROWS_OF_A_PART = 16

# Tiles of grids. `scripts/bench kernels` (hotspot): the arrays of a tile stay in the second-level cache.
TILE_CELLS = 2**15
TILE_WIDTH = 256  # at least
TILED_CELLS = 2**16  # of a grid that is worth it
SMALLEST_EDGE = 32  # of a grid, so that its borders are apart; a tile is at least as high
WIDEST_BORDER = 8  # and what a slice leaves out at most
WIDEST_HALO = 10  # places around a tile
