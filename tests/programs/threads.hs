-- Threads in all the ways they can start, wait and end: labels, MVars, STM, delays, foreign calls,
-- exceptions, a killed thread, a thread that can never continue, one with a deep stack.
{-# LANGUAGE CApiFFI #-}
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad (forM_, replicateM, void, when)
import Foreign.C.Types (CInt (..), CUInt (..))
import GHC.Conc (labelThread)
import System.Mem (performMajorGC)

foreign import capi safe "unistd.h usleep" safeSleep :: CUInt -> IO CInt

foreign import ccall unsafe "stdlib.h abs" unsafeAbs :: CInt -> CInt

spawn :: String -> IO () -> IO (ThreadId, MVar (Either SomeException ()))
spawn label action = do
    end <- newEmptyMVar
    thread <- forkFinally action (putMVar end)
    labelThread thread label
    return (thread, end)

main :: IO ()
main = do
    ball <- newEmptyMVar
    (_, ping) <- spawn "ping" (forM_ [1 .. 20 :: Int] (putMVar ball))
    (_, pong) <- spawn "pong" (void (replicateM 20 (takeMVar ball)))
    mapM_ takeMVar [ping, pong]

    account <- newTVarIO (0 :: Int)
    (_, taker) <- spawn "STM: takes" $ atomically $ do
        balance <- readTVar account
        check (balance >= 5)
        writeTVar account (balance - 5)
    (_, giver) <- spawn "STM: gives" $
        forM_ [1 .. 5 :: Int] $ \_ -> atomically (modifyTVar' account (+ 1)) >> threadDelay 500
    mapM_ takeMVar [giver, taker]

    (_, sleeper) <- spawn "in C" (void (safeSleep 2000) >> void (evaluate (unsafeAbs (-3))))
    (_, failing) <- spawn "throws" (throwIO (userError "on purpose"))
    (_, dividing) <- spawn "divides by zero" (void (evaluate (1 `div` (0 :: Int))))
    mapM_ takeMVar [sleeper, failing, dividing]

    forever' <- newEmptyMVar :: IO (MVar ())
    (victim, killed) <- spawn "is killed" (threadDelay 10000000 `onException` yield)
    yield
    killThread victim
    (_, stuck) <- spawn "waits for nothing" (takeMVar forever')
    collectUntilFull stuck
    mapM_ takeMVar [killed, stuck]

    (_, deep) <- spawn "deep stack" (void (evaluate (foldr (+) 0 [1 .. 100000 :: Int])))
    takeMVar deep

    bound <- newEmptyMVar
    if rtsSupportsBoundThreads
        then void (forkOS (labelMe "bound" >> putMVar bound ()))
        else putMVar bound ()
    takeMVar bound
    void (spawn "left behind" (threadDelay 1000000))
    yield
  where
    -- A collection ends the thread that waits for nothing, if it already waits.
    collectUntilFull end = do
        threadDelay 2000
        performMajorGC
        empty <- isEmptyMVar end
        when empty (collectUntilFull end)
    labelMe label = myThreadId >>= \thread -> labelThread thread label
