/* What GHC says about itself; the fake runtime is of the version that the compiler is told. */
#ifndef __GLASGOW_HASKELL__
#define __GLASGOW_HASKELL__ FAKE_GHC
#endif
