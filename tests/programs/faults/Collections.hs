-- Garbage collections that cost too much, and what delays them.
module Collections (programs) where

import Control.Concurrent (yield)
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import Foreign.C.Types (CUInt (..))
import GHC.Compact (compact, getCompact)
import Pace
import System.Mem (performMajorGC)

foreign import ccall unsafe "usleep" sleepUnsafely :: CUInt -> IO ()

foreign import ccall safe "usleep" sleepSafely :: CUInt -> IO ()

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("safepoint", safepoint)
    , ("no-safepoint", noSafepoint)
    , ("unsafe-calls", unsafeCalls)
    , ("freed-calls", freedCalls)
    , ("thrash", thrash)
    , ("old-generation", oldGeneration)
    , ("requested", requested)
    , ("compact", compacted)
    , ("long-pause", longPause)
    , ("compact-pause", compactPause)
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

-- Its remedy: a safe call. To find: nothing, but that cap 1 is idle.
freedCalls :: Seconds -> IO ()
freedCalls seconds = delayed seconds (\_ -> sleepSafely 20000)

delayed :: Seconds -> (Int -> IO ()) -> IO ()
delayed seconds act = onEachCap $ \cap ->
    if cap == 1 then during seconds act else during seconds (\n -> allocate n >> churn 0.0005 >> yield)

-- 100 kB, in 0.1 ms.
allocate :: Int -> IO ()
allocate n = void (evaluate (Map.foldl' (+) 0 (Map.fromList [(k * 7919 `mod` 1009, k) | k <- [n .. n + 300]])))

-- Allocates fast, with 4 MB of young data that live for some 10 collections. For -A64k.
-- To find: allocation_area.
thrash :: Seconds -> IO ()
thrash seconds = onEachCap $ \_ -> do
    recent <- newIORef Map.empty
    during seconds $ \n -> forM_ [1 .. 50] $ \k -> modifyIORef' recent (Map.insert ((50 * n + k) `mod` 3000) [k, n])

-- 6 MB, of which parts are replaced all the time. To find: old_generation.
oldGeneration :: Seconds -> IO ()
oldGeneration seconds = do
    kept <- newIORef (Map.fromList [(k, [k, k + 1]) | k <- [1 .. size]])
    during seconds $ \n -> forM_ [1 .. 100] $ \k ->
        modifyIORef' kept (Map.insert ((100 * n + k) * 7919 `mod` size) [k, n])
    readIORef kept >>= print . sum . map sum . Map.elems
  where
    size = 50000

-- 2 MB, and the program requests a collection of them again and again. To find: old_generation, and that the
-- program may request them.
requested :: Seconds -> IO ()
requested seconds = do
    kept <- evaluate (Map.fromList [(k, [k, k + 1]) | k <- [1 .. 10000 :: Int]])
    during seconds (\n -> allocate n >> churn 0.0002 >> performMajorGC)
    print (Map.size kept)

-- The remedy of old-generation: the data that stay are compact; what changes is kept beside them. To find: nothing.
compacted :: Seconds -> IO ()
compacted seconds = do
    fixed <- compact (Map.fromList [(k, [k, k + 1]) | k <- [1 .. size]])
    changed <- newIORef Map.empty
    during seconds $ \n -> do
        forM_ [1 .. 100] $ \k -> modifyIORef' changed (Map.insert ((100 * n + k) * 7919 `mod` size) [k, n])
        when (n `mod` 10 == 0) (writeIORef changed Map.empty)
    print (sum (map sum (Map.elems (getCompact fixed))))
  where
    size = 50000

-- A list of 200 MB that is needed, and four collections of all of it. For -A64m, so that few
-- collections happen while it is made. To find: long pauses.
longPause :: Seconds -> IO ()
longPause seconds = do
    let numbers = [1 .. 5000000 :: Int]
    print (length numbers)
    steps seconds 4 (\_ -> performMajorGC)
    print (sum numbers)

-- Its remedy: the list is compact, so collections do not copy it. To find: nothing.
compactPause :: Seconds -> IO ()
compactPause seconds = do
    numbers <- compact [1 .. 5000000 :: Int]
    print (length (getCompact numbers))
    steps seconds 4 (\_ -> performMajorGC)
    print (sum (getCompact numbers))
