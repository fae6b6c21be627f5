"""What lanes are run by: the constants that decide how fast a program over lanes is, and none of its numbers.

Under each heading is what the numbers were measured by, or taken from. Costs are operations of one lane, as
`cfg/cost.py` counts them. A constant that changes a result, or says what a machine can hold at all, stands beside the
code that needs it.
"""

# Estimates, where a program does not tell.
ASSUMED_SIZE = 32  # elements along an axis
ASSUMED_TRIPS = 16  # iterations of a loop
ASSUMED_LANES = 1 << 20

# Preparation. `scripts/bench lanes logistic`.
COPIED_ELEMENTS = 256  # from which an array that a loop makes anew is not copied: two iterations are one
UNROLLED_EQUATIONS = 400  # of a loop that may become twice as long
BLAS_MULTIPLICATIONS = 4096  # from which a product is a call of BLAS
WAITED_MULTIPLICATIONS = 2**14  # from which lanes on a GPU wait for one, by operations: never measured
CONTRACTED_ELEMENTS = 32  # along an axis, up to which a row's definition multiplies and adds in one step
LIBRARY_OPERATIONS = 1e6  # from which one function of a lane's matrices is a call of LAPACK, or of BLAS

# Choices in place of branches. `scripts/bench control nuts`.
BOTH_BRANCHES_COST = 4.0  # up to which both are computed for all lanes (readable programs)
CONVERTED_COST = 128.0  # that one lane runs for nothing rather than be unsure where it goes on
SELECT_OPERATIONS = 6  # of a condition that is written as an expression
BRANCHED_COST = 4.0  # of an operation, a division, from which LLVM goes round it where it is not chosen
UNCONDITIONAL_COPIES = 64  # numbers that are moved whether a test holds or not
QUOTIENT_OPERATIONS = 6  # of a quotient by a reciprocal, besides the one of a division
UNROLLED_QUOTIENT_OPERATIONS = 250  # of a loop with quotients that LLVM still unrolls

# Which blocks lanes wait at. `scripts/bench nuts lanes control`.
VECTOR_BLOCK_COST = 24.0  # from which running lanes side by side pays
REPEATED_BLOCK_COST = 6.0  # the same where lanes may run the block many times in a row
ONLY_BLOCK_COST = 1.0  # the same where that is half of what the program does, or more
UNWAITED_COST = 16.0  # of one lane, that is run at once rather than waited for
WAITING_SHARE = 3.0  # lanes wait at a block whose work is at least that of the costliest over this
DUPLICATED_EQUATIONS = 6  # taken along by what needs them
ROW_COST = 3.0  # of an element that one part of a block leaves for the next
TINY_COST = 3.0  # of a block that is run at the end of the one before
DUPLICATED_COST = 60.0  # of a block that lanes repeat a few times before they are counted again
REPEATED_ROUNDS = 4  # of such a block, before they are counted
DEPENDENT_CHAIN_COST = 40.0  # from which a block is a chain of operations that wait for one another
IDLE_OPERATIONS = 30_000.0  # that lanes which have left miss, before the others go for new ones
UNROLLED_OPERATIONS = 400  # of a loop of known count that LLVM still unrolls

# Memory of groups. `scripts/bench nuts lanes`: what a group uses again and again stays in the first-level cache.
GROUP_LANES = 16  # at least: two vectors of the widest registers
DISTRIBUTED_GROUP_LANES = 32  # where blocks are in parts, whose loops begin again and again
LARGEST_GROUP_LANES = 64
GROUP_NUMBERS = 4096  # that a group keeps at hand: 32 KB
LANE_NUMBERS = 4096  # of a lane, of which a group's fit into the second-level cache
OWN_ARRAY = 64  # elements, from which an array lies in its lane's own memory
COPIED_SHARED_ARRAY = 4096  # elements of a shared array that is copied beside the group's
ROW_PADDING = (
    8  # numbers between rows of more than GROUP_LANES, so that rows do not share the sets of a cache
)
TWO_VECTORS = 16  # lanes

# Memory of readable programs.
STACKED_FRAMES = 8  # for which a stack has room at first

# Memory of single lanes. `scripts/bench lanes`, and the widths of caches and store buffers.
SMALL_ARRAY = 256  # elements
STORE_BUFFER_PAGE = (
    512  # numbers: what is a multiple of it apart is one place to a processor's buffer of stores
)
PAGE_OFFSET = 32  # numbers put between arrays that would be
CACHE_LINE = 8  # numbers: long arrays begin with one
FIRST_STACK = 1024  # numbers of each dtype, before stacks grow

# Vectors within a lane. `scripts/bench logistic lanes`: LLVM's pass makes scalar code, and groups, slower.
SLP_ROUNDS = 8  # of a loop that fills a vector
SLP_SHARE = 0.5  # of the work, in such loops

# Code that is made quickly. `scripts/bench first_use`: the other takes seconds, on another processor.
QUICK_LANES = 16  # at most
QUICK_SECONDS = 0.1  # that lanes run by it, before better is made
LONG_QUICK_SECONDS = 5.0  # the same where lanes have to wait for that

# Products with shared matrices. `scripts/bench logistic`: a panel and its lanes' rows stay in the second-level cache.
WAITING_LANES = 256  # for each other's products, at most
PANEL_LANES = 128
PANEL_CELLS = 2**16  # numbers of the matrix
LOWEST_PANEL, HIGHEST_PANEL = 64, 1024  # rows

# Kernels of a GPU. NUTS for eight schools on an H200, and warps run in plain Python (tests/warp.py).
DRAW_INSTRUCTIONS = 100.0  # of a draw
ASSUMED_ROUNDS = 2  # of a `while` inside a block
VOTED_WORK = 100.0  # of a block, in instructions, from which the lanes of a warp vote: from 50 to 200 it matters little
VOTED_SHARE = 0.02  # of the longest block's: what 32 lanes do one by one is then less than that block
THREADS = 64  # of a block, as launching.py has it: two warps, so that kernels of many registers still share a processor
BLOCK_MEMORY = 48 * 1024  # bytes of a block, which every GPU has
# Of a lane in its block's memory: so much have 8 warps, all that 230 registers leave, and 12 of numbers half as wide,
# whose kernels take 160 (NUTS in float32: 3.92e9 leapfrogs/s with 8 warps, 4.24e9 with 12).
BLOCK_BYTES, BLOCK_BYTES_OF_SINGLE = 720, 560
COPIED_WORK = 32.0  # of a region, in instructions, up to which a cycle that is entered at two has it twice
FRAME_BYTES = 512  # of a lane's frames in its thread's own memory, as kernels by hand have them: not measured
NEAR_FRAMES = 8  # at least, else all are in global memory: the first ones of a deep stack are seldom used
OWN_REGISTERS = 16  # elements of an array that does not outlive a block, up to which it is in registers
INVERTED_ELEMENTS = 64  # of a shared array, up to which each block of threads has their reciprocals
PARTED_OPERATIONS = (
    2**14
)  # of a loop, from which a lane that waits for products waits at it too: never measured
PART_OPERATIONS = 2**11  # of a part of such a loop, which is a thread's: never measured
SHARED_ROUNDS = 16  # of a loop, from which the threads of a lane's warp share them: never measured
WARP_ROUNDS = 32  # of a lane's loops and arrays, from which a lane that waits for products is a warp
MOST_PARTS = 128  # of one: the lane puts them together by itself
SHORT_RESULT = 64  # elements, up to which a result is copied in the end: where it goes would take registers

# Which machine, and threads. `scripts/bench lanes control` with few and many lanes on two cores.
GROUPED_LANES = 4  # of which a group takes at most twice as long as they do one after the other
GROUPED_SHARE = 0.4  # of the work in vector blocks, from which groups pay
LONG_SHARE = 0.05  # of the work, up to which loops that are long for each lane do not matter
WAKING_SECONDS = 5e-5  # of work, below which waking a second thread takes what it saves
SPINNING_SECONDS = 1.2e-4  # for which a thread that has done its part looks whether the others have
RANGES_PER_THREAD = 12  # at most
LONGEST_RANGE = 1 << 16  # lanes: between ranges Python attends to signals
MEASURED_ROUNDS = 3  # of each candidate, where it is measured which is fastest
MEASURED_LANES = 512
MEASURED_THREADS = 1 << 17  # lanes, on a GPU: as many as a large one runs at once
MEASURED_BLOCKS = (32, 64, 128, 256)  # threads
MEASURED_REGISTERS = (128, 168)  # of a thread: 16 and 12 warps share a processor
MEASURED_GROUPS = (16, 32, 64)  # lanes
MEASURED_RANGES = (128, 256, 512, 1024)  # lanes

# Looking whether lanes are to stop. `scripts/bench control`: cost within noise.
POLLED_OPERATIONS = 1 << 16  # at most, between looks
UNPOLLED_OPERATIONS = 1 << 14  # of a loop that need not look
UNPOLLED_ROUNDS = 1 << 14  # of a loop that has nothing but vectors to do
INTERRUPTED_LANE_OPERATIONS = 64  # of a lane, up to which calls are cut short by threads rather than by lanes

# Recursion by the host's own calls. `scripts/bench lanes` (fib), and `first_use`.
EXPANDED_EQUATIONS = 130  # of a function that is still expanded into itself
EXPANSIONS = 5
GUARDED_EQUATIONS = (
    150  # of calls in a `try`: Numba makes blocks of each, which it goes through by calls of itself
)

# Draws that a chain makes in one call: what is held twice, and how often progress shows: several times a second.
CHUNK = 100
LONG_CHUNK = 8000  # of few chains, as many as take CHUNK_SECONDS (the sizes are part of the compiled program)
CHUNK_NUMBERS = 80_000  # of those draws at most
CHUNK_SECONDS = 0.05
# On a GPU, where draws are made while those before are copied. Warps of 100,000 chains of eight schools, replayed: 50,
# 25 and 25 draws take a twelfth longer than 100 at once.
OVERLAPPED_BYTES = 2**28  # of draws, from which they are made by themselves
OVERLAPPED_SHARE = 0.5  # of the draws that are left
# Of chains on a GPU, at most, and as many in each at least. 100 draws of 100,000 by one, two, four, eight groups: 703,
# 748, 655, 476 million leapfrogs/s: each has a thread, and those wait for Python's lock.
GROUPS, GROUP_CHAINS = 2, 2**13
FEW_CHAINS = 64
