-- Allocates steadily in several threads, for some seconds, and serves its eventlog meanwhile.
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Monad (forM_)
import qualified Data.Map.Strict as Map
import Hectic.Eventlog (withEventlog)
import System.Environment (getArgs)

work :: Int -> Map.Map Int Int -> IO ()
work n m = do
  let m' = foldr (\k -> Map.insertWith (+) (k * n `mod` 1009) k) m [1 .. 400]
  m' `seq` threadDelay 1000
  work (n + 1) m'

main :: IO ()
main = withEventlog $ do
  [seconds] <- map read <$> getArgs
  done <- newEmptyMVar
  forM_ [1 .. 4] $ \n -> forkIO (work n Map.empty)
  _ <- forkIO (threadDelay (seconds * 1000000) >> putMVar done ())
  takeMVar done
