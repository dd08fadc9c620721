{-# OPTIONS_GHC -fno-full-laziness #-}

-- Threads that wait: for each other, for locks, for caps, for timers, in foreign calls.
module Blocking (programs) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import Foreign.C.Types (CUInt (..))
import GHC.Conc (unsafeIOToSTM)
import Pace
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import System.Process (createPipe)

foreign import ccall safe "usleep" sleepSafely :: CUInt -> IO ()

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("deadlock", deadlock)
    , ("ordered-locks", orderedLocks)
    , ("deadlock-late", deadlockLate)
    , ("lost-reply", lostReply)
    , ("deadlock-stm", deadlockSTM)
    , ("livelock-yield", livelockYield)
    , ("blocked-wait", blockedWait)
    , ("livelock-stm", livelockSTM)
    , ("convoy", convoy)
    , ("short-lock", shortLock)
    , ("locked-io", lockedIO)
    , ("locked-stm", lockedSTM)
    , ("free-io", freeIO)
    , ("shared-thunk", sharedThunk)
    , ("unshared-thunk", unsharedThunk)
    , ("imbalance", imbalance)
    , ("one-thread", churn)
    , ("pinned-threads", pinnedThreads)
    , ("pinned-allocating", pinnedAllocating)
    , ("free-threads", freeThreads)
    , ("safe-calls", safeCalls)
    , ("thread-leak", threadLeak)
    , ("thread-leak-timers", threadLeakTimers)
    , ("ended-threads", endedThreads)
    , ("thread-churn", threadChurn)
    , ("timers", timers)
    , ("rate-limited", rateLimited)
    , ("many-timers", manyTimers)
    , ("slow-input", slowInput)
    , ("pipes", pipes)
    ]

-- Two threads take two locks in opposite order, four times. Main still refers to the locks, so there
-- is no exception. To find: 8 threads are blocked on MVars for ever.
deadlock :: Seconds -> IO ()
deadlock seconds = do
    locks <- replicateM 4 crossed
    rest seconds
    mapM_ (\(a, b) -> tryTakeMVar a >> tryTakeMVar b) locks

crossed :: IO (MVar (), MVar ())
crossed = do
    a <- newMVar ()
    b <- newMVar ()
    let before first second = void . forkIO $ do
            () <- takeMVar first
            rest 0.02
            takeMVar second
    before a b >> before b a
    pure (a, b)

-- Its remedy: both take the locks in one order. To find: at most that the caps are idle.
orderedLocks :: Seconds -> IO ()
orderedLocks seconds = do
    locks <- replicateM 4 ((,) <$> newMVar () <*> newMVar ())
    forM_ (locks ++ locks) $ \(a, b) -> forkIO (withMVar a (\_ -> rest 0.02 >> withMVar b pure))
    rest seconds

-- The deadlock after half of the run, in which the program computes on each cap.
deadlockLate :: Seconds -> IO ()
deadlockLate seconds = do
    onEachCap (\_ -> churn (seconds / 2))
    deadlock (seconds / 2)

-- Workers that wait for a reply from a thread that has ended. To find: they are blocked on MVars.
lostReply :: Seconds -> IO ()
lostReply seconds = do
    requests <- newChan
    replies <- forM [1 .. 20 :: Int] $ \k -> do
        reply <- newEmptyMVar
        _ <- forkIO (writeChan requests (reply, k) >> takeMVar reply >>= print)
        pure reply
    _ <- forkIO (replicateM_ 5 (readChan requests >>= \(reply, k) -> putMVar reply (k + 1)))
    rest seconds
    mapM_ tryTakeMVar replies

-- Each of six threads waits for its left neighbour. To find: they are blocked in STM for ever.
deadlockSTM :: Seconds -> IO ()
deadlockSTM seconds = do
    ready <- replicateM 6 (newTVarIO False)
    forM_ (zip ready (drop 1 (cycle ready))) $ \(own, other) -> forkIO . atomically $ do
        readTVar other >>= check
        writeTVar own True
    rest seconds
    mapM readTVarIO ready >>= print . or

-- Threads that take the first lock, find the second one taken, give back the first, and try again,
-- politely: as many as caps, and one more. To find: how often they yield. (Ten microseconds between,
-- to bound the log.)
livelockYield :: Seconds -> IO ()
livelockYield seconds = do
    caps <- getNumCapabilities
    done <- newIORef False
    taken <- newMVar ()
    takeMVar taken
    forM_ [0 .. caps] $ \_ -> forkIO . fix' $ \again -> do
        own <- newMVar ()
        takeMVar own
        got <- tryTakeMVar taken
        putMVar own ()
        isDone <- readIORef done
        spin 0.00001
        when (got == Nothing && not isDone) (yield >> again)
    rest seconds
    writeIORef done True
  where
    fix' f = let x = f x in x

-- Its remedy: they block until there is something to do. To find: at most that the caps are idle.
blockedWait :: Seconds -> IO ()
blockedWait seconds = do
    caps <- getNumCapabilities
    taken <- newMVar ()
    takeMVar taken
    forM_ [0 .. caps] $ \_ -> forkIO (takeMVar taken >> spin 0.00001 >> putMVar taken ())
    rest seconds
    putMVar taken ()
    rest 0.01

-- Long transactions that short ones invalidate, so they run again and again. The log does not show
-- transactions that run again: the caps compute. To find: nothing.
livelockSTM :: Seconds -> IO ()
livelockSTM seconds = do
    shared <- newTVarIO (0 :: Int)
    done <- newIORef False
    let long = do
            atomically $ do
                total <- readTVar shared
                unsafeIOToSTM (spin 0.002)
                writeTVar shared $! total + 1
            isDone <- readIORef done
            unless isDone long
    onEachCap $ \cap ->
        if cap == 0
            then during seconds (\_ -> atomically (modifyTVar' shared (+ 1)) >> spin 0.0005)
                >> writeIORef done True
            else long

-- Four workers that compute nearly always under one lock. To find: with several caps, they wait for
-- it, and the other caps are of no use.
convoy :: Seconds -> IO ()
convoy seconds = do
    lock <- newMVar (0 :: Int)
    together . replicate 4 . during seconds $ \_ -> do
        modifyMVar_ lock (\n -> spin 0.001 >> pure (n + 1))
        spin 0.0001
    readMVar lock >>= print

-- Its remedy: they compute without the lock. To find: nothing.
shortLock :: Seconds -> IO ()
shortLock seconds = do
    lock <- newMVar (0 :: Int)
    together . replicate 4 . during seconds $ \_ -> do
        churn 0.001
        modifyMVar_ lock (\n -> pure $! n + 1)
    readMVar lock >>= print

-- Eight workers that sleep in a foreign call, as for a disk, under one lock.
-- To find: they wait for the lock.
lockedIO :: Seconds -> IO ()
lockedIO seconds = do
    lock <- newMVar ()
    together . replicate 8 . during seconds $ \_ -> withMVar lock (\_ -> sleepSafely 2000)

-- The same with a lock in STM. To find: they wait in STM.
lockedSTM :: Seconds -> IO ()
lockedSTM seconds = do
    free <- newTVarIO True
    together . replicate 8 . during seconds $ \_ -> do
        atomically (readTVar free >>= check >> writeTVar free False)
        sleepSafely 2000
        atomically (writeTVar free True)

-- Their remedy: no lock around the call. To find: at most that the caps are idle.
freeIO :: Seconds -> IO ()
freeIO seconds = together . replicate 8 . during seconds $ \_ -> sleepSafely 2000

-- Each round, all caps need the same thunk before their own work: one evaluates it, the others wait.
-- To find: black_hole, from 2 caps on.
sharedThunk :: Seconds -> IO ()
sharedThunk seconds = during seconds $ \n -> do
    let shared = unsafePerformIO (spin 0.02 >> pure (n + 1))
    onEachCap (\_ -> evaluate shared >> spin 0.01)

-- Its remedy: one cap evaluates what is needed in the next round, while the others work. To find: nothing.
unsharedThunk :: Seconds -> IO ()
unsharedThunk seconds = do
    next <- newIORef 0
    during seconds $ \n -> do
        shared <- readIORef next
        onEachCap $ \cap -> do
            _ <- evaluate (shared + n)
            spin 0.02
            when (cap == 0) (writeIORef next $! n + 1)

-- All work is in one thread; those on the other caps end early. To find: cap_balance.
imbalance :: Seconds -> IO ()
imbalance seconds = onEachCap (\cap -> churn (if cap == 0 then seconds else 0.1 * seconds))

-- Eight threads that forkOn has pinned to cap 0. To find: they wait for it, and others are idle.
pinnedThreads :: Seconds -> IO ()
pinnedThreads seconds = do
    dones <- replicateM 8 newEmptyMVar
    forM_ dones $ \done -> forkOn 0 (during seconds (\_ -> spin 0.001 >> yield) >> putMVar done ())
    mapM_ takeMVar dones

-- The same, with many collections. To find: the same.
pinnedAllocating :: Seconds -> IO ()
pinnedAllocating seconds = do
    dones <- replicateM 8 newEmptyMVar
    forM_ dones $ \done -> do
        _ <- forkOn 0 $ do
            during seconds $ \n ->
                void (evaluate (Map.foldl' (+) n (Map.fromList [(k * 7 `mod` 211, k) | k <- [1 .. 300]])))
            putMVar done ()
        pure ()
    mapM_ takeMVar dones

-- The remedy of pinned-threads: forkIO. To find: nothing.
freeThreads :: Seconds -> IO ()
freeThreads seconds = together (replicate 8 (during seconds (\_ -> spin 0.001 >> yield)))

-- Four threads in safe foreign calls that block, nearly always. To find: foreign calls, not locks.
safeCalls :: Seconds -> IO ()
safeCalls seconds = together . replicate 4 . during seconds $ \_ -> sleepSafely 10000 >> spin 0.0005

-- Listeners that nobody ends: 5,000 threads, each blocked on an MVar of its own that is kept.
-- To find: the number of threads grows.
threadLeak :: Seconds -> IO ()
threadLeak seconds = do
    kept <- newIORef []
    steps seconds 100 $ \_ -> replicateM_ 50 $ do
        event <- newEmptyMVar
        _ <- forkIO (takeMVar event >>= print . (+ (1 :: Int)))
        modifyIORef' kept (event :)
    readIORef kept >>= mapM_ (`tryPutMVar` 0) . take 1

-- Timeouts of a minute that nobody cancels. To find: the same.
threadLeakTimers :: Seconds -> IO ()
threadLeakTimers seconds =
    steps seconds 100 $ \_ -> replicateM_ 50 (forkIO (rest 60))

-- Its remedy: they end. To find: nothing.
endedThreads :: Seconds -> IO ()
endedThreads seconds = steps seconds 100 $ \_ -> replicateM_ 50 $ do
    event <- newEmptyMVar
    _ <- forkIO (takeMVar event >>= evaluate . (+ (1 :: Int)) >> pure ())
    putMVar event 0

-- A thread for each small piece of work, and a wait for its end. To find: many threads of short
-- lives, if anything.
threadChurn :: Seconds -> IO ()
threadChurn seconds = onEachCap $ \_ -> during seconds $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (spin 0.00002 >> putMVar done ())
    takeMVar done

-- Threads that wait for timers. To find: at most that the caps are idle.
timers :: Seconds -> IO ()
timers seconds = together (replicate 4 (during seconds (\_ -> rest 0.02 >> spin 0.0002)))

-- Two threads that compute half of the time, and wait for timers, but for no lock. (threadDelay blocks on
-- an MVar.) To find: at most that the caps are idle.
rateLimited :: Seconds -> IO ()
rateLimited seconds = together (replicate 2 (during seconds (\_ -> spin 0.005 >> rest 0.005)))

-- 50 threads that compute in turns, by chance: together as much as one thread. To find: the same.
manyTimers :: Seconds -> IO ()
manyTimers seconds = together (replicate 50 (during seconds (\_ -> rest 0.02 >> spin 0.0003)))

-- A thread that reads what another one rarely writes. To find: at most that the caps are idle.
slowInput :: Seconds -> IO ()
slowInput seconds = do
    (input, output) <- createPipe
    hSetBuffering output LineBuffering
    done <- newEmptyMVar
    _ <- forkIO (hGetContents input >>= print . length . lines >> putMVar done ())
    during seconds (\n -> rest 0.05 >> hPutStrLn output (show n))
    hClose output
    takeMVar done

-- Four such pairs, each of which writes every 5 ms. To find: at most that the caps are idle.
pipes :: Seconds -> IO ()
pipes seconds = together . replicate 4 $ do
    (input, output) <- createPipe
    hSetBuffering output LineBuffering
    together
        [ during seconds (\n -> rest 0.005 >> spin 0.0005 >> hPutStrLn output (show n)) >> hClose output
        , hGetContents input >>= mapM_ (\text -> spin 0.0005 >> evaluate (length text)) . lines
        ]
