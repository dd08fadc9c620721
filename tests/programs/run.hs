-- What tests of hectic run start: does what its first argument says.
module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM_)
import System.Environment (getArgs, lookupEnv)
import System.Exit (ExitCode (..), exitWith)
import System.IO

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    args <- getArgs
    case args of
        ["cat"] -> getContents >>= putStr
        ["exit", code] -> exitWith (ExitFailure (read code))
        ["environment"] -> lookupEnv "GHCRTS" >>= print
        ["last", tenths] -> do
            putStrLn "begins"
            forM_ [1 .. read tenths :: Int] $ \n -> do
                threadDelay 100000
                hPutStr stderr (if sum [1 .. n * 10000] < 0 then "wrong" else "")
            putStrLn "ends"
        _ -> print args
