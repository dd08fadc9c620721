{-# LANGUAGE ForeignFunctionInterface #-}

-- The program that tests of hectic run start: its first argument selects the behaviour.
module Main (main) where

import Control.Concurrent
import Control.Exception (AsyncException, catch)
import Control.Monad (forM_, replicateM_, when)
import Foreign.C.Types (CInt (..))
import System.Environment (getArgs, lookupEnv)
import System.Exit (ExitCode (..), exitWith)
import System.IO

foreign import ccall unsafe "_exit" vanish :: CInt -> IO ()

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    args <- getArgs
    case args of
        ["cat"] -> getContents >>= putStr
        ["exit", code] -> exitWith (ExitFailure (read code))
        ["vanish"] -> vanish 0
        ["environment"] -> lookupEnv "GHCRTS" >>= print
        ["last", tenths] -> do
            putStrLn "begins"
            forM_ [1 .. read tenths :: Int] $ \n -> do
                threadDelay 100000
                hPutStr stderr (if sum [1 .. n * 10000] < 0 then "wrong" else "")
            putStrLn "ends"
        ["uneven", tenths] -> uneven (read tenths)
        ["keep", count] -> do
            let numbers = [1 .. read count] :: [Int]
            print (sum numbers)
            print (length numbers)
        ["deaf"] -> putStrLn "begins" >> deaf
        _ -> print args

-- A busy cap, and a cap that writes few events.
uneven :: Int -> IO ()
uneven tenths = do
    done <- newEmptyMVar
    _ <- forkOn 1 (replicateM_ tenths (threadDelay 100000) >> putMVar done ())
    _ <- forkOn 0 . forM_ [1 ..] $ \n -> do
        when (sum [1 .. n `mod` 1000] < (0 :: Int)) (putStrLn "wrong")
        yield
    takeMVar done

-- Work that an interrupt does not end.
deaf :: IO ()
deaf = threadDelay 100000000 `catch` \e -> const deaf (e :: AsyncException)
