"""What this processor has: where registers hold four numbers, short blocks are faster lane after lane."""

import llvmlite.binding

WIDE = bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))
