-- Does the same in every run, as far as the runtime allows.
module Main (main) where
import Control.Concurrent
import Control.Monad
import Debug.Trace
import System.Mem
main :: IO ()
main = do
  done <- newEmptyMVar
  forM_ [1 .. 20 :: Int] $ \n -> do
    _ <- forkIO $ do
      traceEventIO ("worker " ++ show n)
      when (sum [1 .. 20000 * toInteger n] < 0) $ traceEventIO "never"
      putMVar done ()
    takeMVar done
    when (n `mod` 5 == 0) performMajorGC
  forM_ [1 .. 40000 :: Int] $ \n -> traceEventIO ("message " ++ show n)
  traceMarkerIO "end"
