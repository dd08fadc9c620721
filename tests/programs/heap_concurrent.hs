-- Closures of the runtime itself: threads, stacks, MVars, TVars, weak pointers, stable pointers,
-- exceptions; several threads allocate at once.
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad (forM, forM_, replicateM_, void)
import Foreign.StablePtr (deRefStablePtr, freeStablePtr, newStablePtr)
import System.Mem.Weak (deRefWeak, mkWeakPtr)

deep :: Int -> Integer
deep 0 = 0
deep n = 1 + deep (n - 1)

worker :: TVar [Int] -> Int -> IO Integer
worker queue number = do
    taken <- newTVarIO (0 :: Int)
    forM_ [1 .. 200] $ \n -> do
        atomically $ modifyTVar queue (take 2000 . ([n .. n + number] ++)) >> modifyTVar' taken (+ 1)
        void (try (evaluate (10 `div` (n `mod` 4))) :: IO (Either ArithException Int))
        yield
    n <- readTVarIO taken
    evaluate (deep (n * 2000))

main :: IO ()
main = do
    queue <- newTVarIO []
    waiting <- newEmptyMVar :: IO (MVar ())
    sleepers <- forM [1 .. 100 :: Int] $ \n -> forkIO (takeMVar waiting >> print n)
    weak <- forM [1 .. 500 :: Int] $ \n -> mkWeakPtr (show n) Nothing
    stable <- newStablePtr [1 .. 1000 :: Int]
    ends <- forM [1 .. 6] $ \number -> do
        end <- newEmptyMVar
        void (forkFinally (worker queue number) (putMVar end))
        return end
    results <- mapM takeMVar ends
    print [either (const 0) id result | result <- results]
    alive <- mapM deRefWeak weak
    numbers <- deRefStablePtr stable
    print (sum numbers, length (filter (/= Nothing) alive) <= 500)
    freeStablePtr stable
    readTVarIO queue >>= print . sum
    replicateM_ 3 yield
    mapM_ killThread sleepers
