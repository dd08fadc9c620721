-- Programs without a fault.
module Healthy (programs) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (evaluate)
import Control.Monad
import Data.Array.IO (IOUArray, newArray, readArray, writeArray)
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Foreign (allocaBytes)
import Pace
import System.IO

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("compute", \seconds -> onEachCap (\_ -> spin seconds))
    , ("parallel", \seconds -> onEachCap (\_ -> churn seconds))
    , ("server", server)
    , ("allocate", allocate)
    , ("stream", stream)
    , ("stm", stm)
    , ("arrays", arrays)
    , ("copy", copy)
    , ("short", \_ -> onEachCap (\_ -> churn 0.04))
    , ("brief", \_ -> churn 0.004)
    , ("nested-join", nestedJoin)
    , ("table", table)
    , ("rounds", rounds)
    , ("pipeline", pipeline)
    ]

-- Requests, about 200 per second, for four workers; by design it is idle most of the time.
server :: Seconds -> IO ()
server seconds = do
    requests <- newChan
    replicateM_ 4 . forkIO . forever $ do
        reply <- readChan requests
        churn 0.0005
        putMVar reply ()
    during seconds $ \_ -> do
        reply <- newEmptyMVar
        writeChan requests reply
        takeMVar reply
        rest 0.005

-- Allocates much that is garbage at once.
allocate :: Seconds -> IO ()
allocate seconds = onEachCap $ \_ -> during seconds $ \n -> do
    _ <- evaluate (foldl' (+) 0 (map (* n) (filter odd [n .. n + 1000])))
    _ <- evaluate (length (show (Map.fromList [(k, k) | k <- [n .. n + 100]])))
    churn 0.001

-- Lines through a lazy list, in constant memory.
stream :: Seconds -> IO ()
stream seconds = onEachCap $ \_ -> during seconds $ \n -> do
    let text = concatMap (\k -> show (k * n) ++ "\n") [1 .. 200]
    _ <- evaluate (length (filter ((> 2) . length) (lines text)))
    churn 0.002

-- Transactions, but mostly work of each thread's own.
stm :: Seconds -> IO ()
stm seconds = do
    balance <- newTVarIO (0 :: Int)
    together . replicate 4 . during seconds $ \n -> do
        churn 0.001
        atomically (modifyTVar' balance (+ n))
    readTVarIO balance >>= print

-- An array of 4 MB for each cap, changed in place.
arrays :: Seconds -> IO ()
arrays seconds = onEachCap $ \_ -> do
    array <- newArray (0, 524287) 0 :: IO (IOUArray Int Int)
    during seconds $ \n -> forM_ [0 .. 9999] $ \k -> do
        let i = (k * 7919 + n) `mod` 524288
        readArray array i >>= writeArray array i . (+ k)

-- Copies through one buffer.
copy :: Seconds -> IO ()
copy seconds = onEachCap $ \_ ->
    withBinaryFile "/dev/zero" ReadMode $ \input -> withBinaryFile "/dev/null" WriteMode $ \output ->
        allocaBytes size $ \buffer -> during seconds $ \_ -> do
            count <- hGetBuf input buffer size
            hPutBuf output buffer count
  where
    size = 1048576

-- Coordinators that wait for their workers, who wait for theirs, who compute to the end.
nestedJoin :: Seconds -> IO ()
nestedJoin seconds = together . replicate 4 $ together [together [churn seconds], churn seconds]

-- A table that is filled first, and then used.
table :: Seconds -> IO ()
table seconds = do
    let entries = Map.fromList [(k, k * k) | k <- [1 .. 50000 :: Int]]
    steps seconds 100 (\k -> void (evaluate (Map.lookup (k * 317) entries)))
    print (Map.size entries)

-- Data that are collected and dropped, ten times.
rounds :: Seconds -> IO ()
rounds seconds = do
    kept <- newIORef Map.empty
    steps seconds 100 $ \k -> do
        forM_ [1 .. 1000] $ \n -> modifyIORef' kept (Map.insert (1000 * k + n) n)
        when (k `mod` 10 == 0) (writeIORef kept Map.empty)
    readIORef kept >>= print . Map.size

-- A producer, a filter and a consumer on bounded queues; the filter is the slowest by a little.
pipeline :: Seconds -> IO ()
pipeline seconds = do
    first <- newTBQueueIO 10
    second <- newTBQueueIO 10
    together
        [ during seconds (\n -> churn 0.001 >> atomically (writeTBQueue first (Just n)))
            >> atomically (writeTBQueue first Nothing)
        , pass (atomically (readTBQueue first)) $ \n -> churn 0.0012 >> atomically (writeTBQueue second n)
        , pass (atomically (readTBQueue second)) (\_ -> churn 0.001)
        ]
  where
    pass receive act = do
        item <- receive
        void (act item)
        when (item /= Nothing) (pass receive act)
