"""Work that is divided among the processors."""
import os
import sys
import traceback


def all_hold(holds, cases):
    """Whether it holds for all cases. Each of as many processes as there are processors tries its share of them."""
    count = os.cpu_count()
    sys.stdout.flush()
    for first in range(count):
        if os.fork() == 0:
            held = False
            try:
                held = all([holds(case) for case in cases[first::count]])
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(not held)
    return not any([os.wait()[1] for _ in range(count)])
