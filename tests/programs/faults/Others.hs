{-# OPTIONS_GHC -fno-full-laziness #-}

-- Faults and healthy programs that resemble the others.
module Others (programs) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import Pace

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("closures", closures)
    , ("lazy-atomic", lazyAtomic)
    , ("queue", queue)
    , ("deadlock-queue", deadlockQueue)
    , ("deadlock-busy", deadlockBusy)
    , ("polling", polling)
    , ("spinning", spinning)
    , ("partition", partition)
    , ("ping-pong", pingPong)
    , ("ping-pong-stm", pingPongSTM)
    , ("bottleneck", bottleneck)
    , ("uneven-rounds", unevenRounds)
    , ("progress", progress)
    , ("work-then-serial", workThenSerial)
    , ("quiet-server", quietServer)
    , ("bursts", bursts)
    , ("subscribers", subscribers)
    , ("asking", asking)
    , ("connections", connections)
    , ("pool", pool)
    , ("tasks", tasks)
    , ("late-start", \seconds -> rest (0.3 * seconds) >> onEachCap (\_ -> churn (0.7 * seconds)))
    , ("phases", \seconds -> churn (0.2 * seconds) >> onEachCap (\_ -> churn (0.8 * seconds)))
    ]

-- Functions composed with functions, as in a difference list that nobody applies: no thunks, but data
-- that grow. To find: growth.
closures :: Seconds -> IO ()
closures seconds = do
    kept <- newIORef id
    steps seconds 100 $ \k -> forM_ [1 .. 10000] $ \n -> modifyIORef' kept (\f xs -> f ((n + k) : xs))
    readIORef kept >>= \f -> print (length (f []) + length (f [1 :: Int]))

-- atomicModifyIORef, which is lazy. To find: thunks (with -hT); growth of live data (without).
lazyAtomic :: Seconds -> IO ()
lazyAtomic seconds = do
    total <- newIORef (0 :: Int)
    steps seconds 100 $ \k -> forM_ [1 .. 5000] $ \n -> atomicModifyIORef total (\t -> (t + n + k, ()))
    readIORef total >>= print

-- A queue without a bound, whose consumer is slower than its producer. To find: growth, not thunks.
queue :: Seconds -> IO ()
queue seconds = do
    items <- newChan
    consumer <- forkIO (forever (readChan items >>= \n -> spin 0.001 >> evaluate (n :: Int)))
    steps seconds 100 $ \k -> forM_ [1 .. 10000] $ \n -> let m = n * k in m `seq` writeChan items m
    killThread consumer
    readChan items >>= print

-- Two stages that send each other more than their bounded queues hold. To find: blocked in STM for ever.
deadlockQueue :: Seconds -> IO ()
deadlockQueue seconds = do
    queues <- replicateM 3 ((,) <$> newTBQueueIO 4 <*> newTBQueueIO 4)
    forM_ queues $ \(a, b) -> forM_ [(a, b), (b, a)] $ \(from, to) -> forkIO . forever $ do
        replicateM_ 8 (atomically (writeTBQueue to ()))
        atomically (readTBQueue from)
    rest seconds
    mapM (\(a, _) -> atomically (lengthTBQueue a)) queues >>= print

-- Two deadlocked threads beside others that compute: they may as well wait for those.
-- To find: nothing, or the blocked threads.
deadlockBusy :: Seconds -> IO ()
deadlockBusy seconds = do
    first <- newMVar ()
    second <- newMVar ()
    forM_ [(first, second), (second, first)] $ \(a, b) ->
        forkIO (takeMVar a >> rest 0.02 >> takeMVar b)
    onEachCap (\_ -> churn seconds)
    void (tryTakeMVar first >> tryTakeMVar second)

-- Looks every 0.1 ms whether there is something to do. To find: at most that the caps are idle.
polling :: Seconds -> IO ()
polling seconds = do
    done <- newIORef False
    forM_ [1 .. 3 :: Int] $ \_ -> forkIO $
        let look = readIORef done >>= \isDone -> unless isDone (rest 0.0001 >> look) in look
    rest seconds
    writeIORef done True

-- Each cap asks a reference all the time whether there is something to do. The log shows threads that
-- compute. To find: nothing.
spinning :: Seconds -> IO ()
spinning seconds = do
    count <- newIORef (0 :: Int)
    onEachCap (\_ -> during seconds (\_ -> atomicModifyIORef' count (\n -> (n + 1, ())) >> spin 0.00001))
    readIORef count >>= print

-- Work that was divided once, badly. To find: cap_balance.
partition :: Seconds -> IO ()
partition seconds = onEachCap (\cap -> churn (seconds / fromIntegral (1 + 3 * min 1 cap)))

-- Two threads that compute in turns. To find: they wait for each other, if there is another cap.
pingPong :: Seconds -> IO ()
pingPong seconds = do
    ping <- newEmptyMVar
    pong <- newEmptyMVar
    _ <- forkIO (forever (takeMVar ping >> spin 0.001 >> putMVar pong ()))
    during seconds (\_ -> spin 0.001 >> putMVar ping () >> takeMVar pong)

-- The same in STM.
pingPongSTM :: Seconds -> IO ()
pingPongSTM seconds = do
    turn <- newTVarIO (0 :: Int)
    let wait own = atomically (readTVar turn >>= check . (== own))
    _ <- forkIO (forever (wait 1 >> spin 0.001 >> atomically (writeTVar turn 0)))
    during seconds (\_ -> wait 0 >> spin 0.001 >> atomically (writeTVar turn 1))

-- Three stages, of which the second is the slowest: the others wait for it, but for no lock.
-- To find: nothing, or that they wait.
bottleneck :: Seconds -> IO ()
bottleneck seconds = do
    first <- newEmptyMVar
    second <- newEmptyMVar
    _ <- forkIO (forever (takeMVar first >>= \n -> churn 0.002 >> putMVar second (n + 1)))
    _ <- forkIO (forever (takeMVar second >>= \n -> churn 0.0003 >> evaluate (n :: Int)))
    during seconds (\n -> churn 0.0003 >> putMVar first n)

-- Rounds in which each cap has nearly the same work, and waits for the others. To find: nothing.
unevenRounds :: Seconds -> IO ()
unevenRounds seconds =
    during seconds (\_ -> onEachCap (\cap -> churn (if cap == 0 then 0.008 else 0.006)))

-- One thread computes, and main shows how far it is. To find: cap_balance.
progress :: Seconds -> IO ()
progress seconds = do
    done <- newEmptyMVar
    _ <- forkIO (churn seconds >> putMVar done ())
    let look = tryTakeMVar done >>= maybe (rest 0.01 >> look) pure
    look

-- Workers share the first half of the work, and main does the second alone, while they wait for more.
-- To find: nothing about locks.
workThenSerial :: Seconds -> IO ()
workThenSerial seconds = do
    work <- newChan
    replicateM_ 4 (forkIO (forever (join (readChan work))))
    replicateM_ 100 (writeChan work (churn 0.002))
    rest (0.3 * seconds)
    churn (0.7 * seconds)
    writeChan work (pure ())

-- Requests in the first half only: then the workers wait for more, as in a deadlock.
-- To find: nothing that calls it one.
quietServer :: Seconds -> IO ()
quietServer seconds = do
    requests <- newChan
    replicateM_ 4 (forkIO (forever (join (readChan requests))))
    during (seconds / 2) $ \_ -> do
        done <- newEmptyMVar
        writeChan requests (churn 0.0005 >> putMVar done ())
        takeMVar done
        rest 0.003
    rest (seconds / 2)
    writeChan requests (pure ())

-- 40 pieces of work for a pool at a time, then a pause; the log ends with one. To find: at most that the caps are
-- idle.
bursts :: Seconds -> IO ()
bursts seconds = do
    work <- newChan
    replicateM_ 4 (forkIO (forever (join (readChan work))))
    forM_ [1 .. 4 :: Int] $ \_ -> do
        dones <- replicateM 40 newEmptyMVar
        forM_ dones (\done -> writeChan work (churn 0.0002 >> putMVar done ()))
        mapM_ takeMVar dones
        rest (seconds / 5)
    writeChan work (pure ())

-- Ten threads that all become runnable every 2 ms, for a short time. To find: at most that the caps are idle.
subscribers :: Seconds -> IO ()
subscribers seconds = do
    messages <- newBroadcastTChanIO
    replicateM_ 10 $ do
        own <- atomically (dupTChan messages)
        forkIO (forever (atomically (readTChan own) >>= \n -> evaluate (sum [n .. n + 500])))
    during seconds (\n -> atomically (writeTChan messages n) >> rest 0.002)
    atomically (writeTChan messages 0)

-- Three clients that ask three workers, and wait for the replies and for timers. There is no lock.
-- To find: at most how long they wait, and not that a lock is the cause.
asking :: Seconds -> IO ()
asking seconds = do
    requests <- newEmptyMVar
    replicateM_ 3 . forkIO . forever $ do
        (n, reply) <- takeMVar requests
        spin 0.0008
        putMVar reply (n + 1)
    together . replicate 3 . during seconds $ \n -> do
        reply <- newEmptyMVar
        putMVar requests (n, reply)
        _ <- takeMVar reply >>= evaluate
        rest 0.0005

-- Clients that connect one after the other, and stay: 300 threads, each of which is active again and
-- again. To find: at most that there are more and more.
connections :: Seconds -> IO ()
connections seconds = do
    begun <- newIORef (0 :: Int)
    together . flip map [1 .. 300] $ \k -> do
        rest (seconds * k / 300)
        modifyIORef' begun (+ 1)
        during (seconds * (1.05 - k / 300)) (\_ -> rest 0.05)
    readIORef begun >>= print

-- 500 threads from the beginning, which all work now and then, and end.
pool :: Seconds -> IO ()
pool seconds = together (replicate 500 (during seconds (\_ -> rest 0.1 >> spin 0.00001)))

-- A thread for each piece of work, and as many at a time as there are caps.
tasks :: Seconds -> IO ()
tasks seconds = onEachCap $ \_ -> during seconds $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (churn 0.002 >> putMVar done ())
    takeMVar done
