-- Garbage collections that cost too much, and what delays them.
module Collections (programs) where

import Control.Concurrent (yield)
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import Foreign.C.Types (CUInt (..))
import Pace
import System.Mem (performMajorGC)

foreign import ccall unsafe "usleep" sleepUnsafely :: CUInt -> IO ()

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("safepoint", safepoint)
    , ("no-safepoint", noSafepoint)
    , ("unsafe-calls", unsafeCalls)
    , ("thrash", thrash)
    , ("old-generation", oldGeneration)
    , ("long-pause", longPause)
    ]

-- Cap 1 computes 20 ms at a time without allocating, while cap 0 needs collections.
-- To find: safepoint, from 2 caps on.
safepoint :: Seconds -> IO ()
safepoint seconds = delayed seconds (\_ -> spin 0.02 >> yield)

-- Its remedy: it allocates, as with -fno-omit-yields. To find: nothing.
noSafepoint :: Seconds -> IO ()
noSafepoint seconds = delayed seconds (\_ -> churn 0.02 >> yield)

-- The same with an unsafe foreign call that blocks. To find: safepoint, from 2 caps on.
unsafeCalls :: Seconds -> IO ()
unsafeCalls seconds = delayed seconds (\_ -> sleepUnsafely 20000 >> yield)

delayed :: Seconds -> (Int -> IO ()) -> IO ()
delayed seconds act = onEachCap $ \cap ->
    if cap == 1 then during seconds act else during seconds (\n -> allocate n >> spin 0.0005 >> yield)

-- 100 kB, in 0.1 ms.
allocate :: Int -> IO ()
allocate n = void (evaluate (Map.foldl' (+) 0 (Map.fromList [(k * 7919 `mod` 1009, k) | k <- [n .. n + 300]])))

-- Allocates fast, with 4 MB of young data that live for some 10 collections. For -A64k.
-- To find: allocation_area.
thrash :: Seconds -> IO ()
thrash seconds = onEachCap $ \_ -> do
    recent <- newIORef Map.empty
    during seconds $ \n -> forM_ [1 .. 50] $ \k -> modifyIORef' recent (Map.insert ((50 * n + k) `mod` 3000) [k, n])

-- 20 MB, of which parts are replaced all the time. To find: old_generation.
oldGeneration :: Seconds -> IO ()
oldGeneration seconds = do
    kept <- newIORef (Map.fromList [(k, [k, k + 1]) | k <- [1 .. size]])
    during seconds $ \n -> forM_ [1 .. 100] $ \k ->
        modifyIORef' kept (Map.insert ((100 * n + k) * 7919 `mod` size) [k, n])
    readIORef kept >>= print . sum . map sum . Map.elems
  where
    size = 150000

-- A list of 120 MB that is needed, and four collections of all of it. For -A64m, so that few
-- collections happen while it is made. To find: long pauses.
longPause :: Seconds -> IO ()
longPause seconds = do
    let numbers = [1 .. 3000000 :: Int]
    print (length numbers)
    steps seconds 4 (\_ -> performMajorGC)
    print (sum numbers)
