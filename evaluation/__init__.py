from datasets.kernel_cache import use_kernel_cache

use_kernel_cache()
