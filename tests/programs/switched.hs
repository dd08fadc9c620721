-- Executes commands from stdin, one per line, and prints "done" after each: starts and ends threads
-- while events are switched on and off, by readers or by the program.
module Main (main) where

import Control.Concurrent
import Control.Monad (forM_, replicateM_, void)
import qualified Data.IORef as Ref
import Debug.Trace (traceEventIO)
import GHC.Conc (labelThread)
import Hectic.Eventlog
import System.IO
import System.IO.Error (ioeGetErrorString, tryIOError)

type Threads = Ref.IORef [(String, (MVar (), MVar ()))]

begin :: Threads -> String -> IO ()
begin threads name = do
  go <- newEmptyMVar
  gone <- newEmptyMVar
  thread <- forkFinally (takeMVar go) (const (putMVar gone ()))
  labelThread thread name
  yield
  Ref.modifyIORef threads ((name, (go, gone)) :)

end :: Threads -> String -> IO ()
end threads name = do
  known <- Ref.readIORef threads
  forM_ (lookup name known) $ \(go, gone) -> putMVar go () >> takeMVar gone
  yield

-- Threads that start and end, and garbage.
busy :: Int -> IO ()
busy count = replicateM_ count $ do
  finished <- newEmptyMVar
  void . forkIO $ putMVar finished $! sum [1 .. 10000 :: Int]
  takeMVar finished

obey :: Threads -> [String] -> IO ()
obey threads order = case order of
  ["start", name] -> begin threads name
  ["end", name] -> end threads name
  ["busy", count] -> busy (read count)
  ["say", text] -> traceEventIO text
  ["class", class_, on] -> setClass (toEnum (read class_)) (read on)
  ["logging", on] -> setLogging (read on)
  ["caps", count] -> setNumCapabilities (read count)
  ["at", place] -> startAt place
  ["stop"] -> stop
  ["move", place] -> setDestination place
  ["flush"] -> flush
  _ -> hPutStrLn stderr ("what is " ++ unwords order ++ "?")

main :: IO ()
main = withEventlog $ do
  hSetBuffering stdout LineBuffering
  threads <- Ref.newIORef []
  let loop = do
        over <- isEOF
        if over
          then return ()
          else do
            result <- getLine >>= tryIOError . obey threads . words
            putStrLn (either ioeGetErrorString (const "done") result)
            loop
  loop
