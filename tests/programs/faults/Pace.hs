{-# LANGUAGE MagicHash, UnboxedTuples #-}

-- Work for a time, which is the same on every machine, not for a count.
module Pace (Seconds, during, steps, spin, churn, rest, onEachCap, onOtherCaps, together) where

import Control.Concurrent
import Control.Exception (evaluate, finally)
import Control.Monad (forM, forM_, when)
import qualified Data.Map.Strict as Map
import Data.Word (Word64)
import Foreign.C (CChar, newCString)
import GHC.Clock (getMonotonicTime)
import GHC.Exts (Ptr (..), traceEvent#)
import GHC.IO (IO (..))
import System.Environment (getArgs)
import System.IO.Unsafe (unsafePerformIO)

type Seconds = Double

foreign import ccall unsafe "getMonotonicNSec" clock :: IO Word64

-- Computes without allocating, so nothing can interrupt it.
spin :: Seconds -> IO ()
spin seconds = clock >>= until' . (+ round (seconds * 1e9))
  where
    until' :: Word64 -> IO ()
    until' end = clock >>= \now -> when (now < end) (until' end)
{-# NOINLINE spin #-}

-- Repeats an action, with 0, 1, …, until the time has passed.
during :: Seconds -> (Int -> IO ()) -> IO ()
during seconds act = getMonotonicTime >>= \begin -> before (begin + seconds) act

before :: Seconds -> (Int -> IO ()) -> IO ()
before end act = getMonotonicTime >>= go 0
  where
    go n traced = do
        act n
        now <- getMonotonicTime
        let isDue = isTraced && now > traced + 0.001
        when isDue trace
        when (now < end) (go (n + 1 :: Int) (if isDue then now else traced))

-- With a third argument, each thread writes 20,000 bytes to the log in each millisecond, so that the
-- runtime writes the log's buffers several times. (Otherwise it writes them at the end only.)
isTraced :: Bool
isTraced = unsafePerformIO ((> 2) . length <$> getArgs)
{-# NOINLINE isTraced #-}

message :: Ptr CChar
message = unsafePerformIO (newCString (replicate 20000 'x'))
{-# NOINLINE message #-}

trace :: IO ()
trace = case message of Ptr address -> IO (\state -> (# traceEvent# address state, () #))

-- Computes, with a moderate allocation (40 MB/s) of data that is garbage at once.
churn :: Seconds -> IO ()
churn seconds = during seconds unit

unit :: Int -> IO ()
unit n = do
    _ <- evaluate (Map.foldl' (+) n (Map.fromList [(k * 7 `mod` 13, k + n) | k <- [1 .. 12]]))
    spin 0.0001

-- So many actions, evenly spread over the time. Between them the thread computes.
steps :: Seconds -> Int -> (Int -> IO ()) -> IO ()
steps seconds count act = do
    begin <- getMonotonicTime
    forM_ [1 .. count] $ \k -> do
        act k
        before (begin + seconds * fromIntegral k / fromIntegral count) unit

rest :: Seconds -> IO ()
rest seconds = threadDelay (round (seconds * 1e6))

-- Threads, and the end of all of them.
together :: [IO ()] -> IO ()
together acts = joined [(forkIO, act) | act <- acts]

-- A thread on each cap.
onEachCap :: (Int -> IO ()) -> IO ()
onEachCap act = getNumCapabilities >>= \caps -> joined [(forkOn cap, act cap) | cap <- [0 .. caps - 1]]

joined :: [(IO () -> IO ThreadId, IO ())] -> IO ()
joined threads = do
    dones <- forM threads $ \(fork, act) -> do
        done <- newEmptyMVar
        _ <- fork (act `finally` putMVar done ())
        pure done
    mapM_ takeMVar dones

-- The action on cap 0, while the other caps compute.
onOtherCaps :: Seconds -> IO () -> IO ()
onOtherCaps seconds act = onEachCap (\cap -> if cap == 0 then act else churn seconds)
