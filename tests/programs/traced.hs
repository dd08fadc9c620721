-- Spans that belong to the trace of a request; and headers of requests from standard input, with what becomes of them.
module Main (main) where

import Control.Monad (forM_)
import Debug.Trace (traceEventIO)
import Hectic.Eventlog (traceParent, traceParentMessage)

main :: IO ()
main = do
  traceEventIO "START request"
  valid <- traceParent "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  traceEventIO "START query"
  traceEventIO "STOP query"
  traceEventIO "STOP request"
  traceEventIO "START other"
  invalid <- traceParent "00-00000000000000000000000000000000-b7ad6b7169203331-01"
  traceEventIO "STOP other"
  print (valid, invalid)
  headers <- lines <$> getContents
  forM_ headers (putStrLn . maybe "invalid" id . traceParentMessage)
