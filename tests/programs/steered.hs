-- Controls its own eventlog: the arguments are destinations.
module Main (main) where

import Control.Exception (try)
import Debug.Trace (traceEventIO)
import Hectic.Eventlog
import System.Environment (getArgs)
import System.IO.Error (ioeGetErrorString)

refused :: IO () -> IO ()
refused action = do
  result <- try action
  putStrLn (either ioeGetErrorString (const "obeyed") result)

main :: IO ()
main = do
  [first, second, third] <- getArgs
  refused (setFlushInterval 10)
  traceEventIO "before"
  startAt first
  refused (startAt second)
  setFlushInterval 50
  traceEventIO "one"
  flush
  setDestination second
  traceEventIO "two"
  flush
  refused (setDestination "listen:nowhere")
  refused requestHeapCensus
  refused (setClass InfoTables False)
  refused (registerCommand "eventlog-socket" 9 (return ()))
  stop
  traceEventIO "nobody hears this"
  startAt third
  traceEventIO "three"
  stop
  stop
