-- Eight threads number their messages, while another one switches the eventlog at random, and
-- redirects it to file after file: PREFIX.0.eventlog, PREFIX.1.eventlog … Prints the number of
-- messages that each thread has logged. With "on" in place of "off", logging as a whole, and user
-- events, stay on.
module Main (main) where

import Control.Concurrent
import Control.Monad (forM, forM_, void, when)
import Data.IORef
import Debug.Trace (traceEventIO)
import Hectic.Eventlog
import System.Environment (getArgs)

type Random = IORef Int

below :: Random -> Int -> IO Int
below random n = do
  modifyIORef' random (\x -> (x * 1103515245 + 12345) `mod` 2147483648)
  (\x -> x `div` 65536 `mod` n) <$> readIORef random

worker :: MVar () -> MVar Int -> Int -> IO ()
worker end finished number = go 0
 where
  go :: Int -> IO ()
  go count = do
    over <- not <$> isEmptyMVar end
    if over then putMVar finished count else do
      traceEventIO (show number ++ " " ++ show count)
      done <- newEmptyMVar
      void . forkIO $ putMVar done $! sum [1 .. 1000 :: Int]
      _ <- takeMVar done
      when (count `mod` 8 == number) $ void (forkIO (threadDelay 5000))
      threadDelay 500
      go (count + 1)

disturb :: String -> Bool -> Random -> Int -> Int -> IO ()
disturb prefix mayBeOff random = go
 where
  go _ 0 = return ()
  go file rounds = do
    what <- below random (if mayBeOff then 10 else 7)
    on <- (== 0) <$> below random 2
    case what of
      0 -> switch Scheduler on
      1 -> switch GC on
      2 -> switch SparksSampled on
      3 -> flush
      4 -> replayState
      5 -> setNumCapabilities . (+ 1) =<< below random 4
      6 -> setDestination (place (file + 1))
      7 -> switch User on
      _ -> setLogging on
    below random 30000 >>= threadDelay
    go (if what == 6 then file + 1 else file) (rounds - 1 :: Int)
  place n = "file:" ++ prefix ++ "." ++ show (n :: Int) ++ ".eventlog"
  -- Classes cannot be switched while logging is off.
  switch class_ on = setLogging True >> setClass class_ on

main :: IO ()
main = do
  [prefix, mayBeOff, rounds, seed] <- getArgs
  startAt ("file:" ++ prefix ++ ".0.eventlog")
  end <- newEmptyMVar
  workers <- forM [0 .. 7] $ \number -> do
    finished <- newEmptyMVar
    void . forkIO $ worker end finished number
    return finished
  random <- newIORef (read seed)
  disturb prefix (mayBeOff == "off") random 0 (read rounds)
  setLogging True
  forM_ [Scheduler, GC, SparksSampled, User] (`setClass` True)
  putMVar end ()
  counts <- mapM takeMVar workers
  stop
  putStrLn (unwords (map show counts))
