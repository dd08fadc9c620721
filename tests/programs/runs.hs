-- Runs of many kinds, each named by the first argument: the output of +RTS -s is compared with that of
-- hectic stat.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, replicateM_, void, when)
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Foreign (allocaBytes, mallocForeignPtrBytes, pokeByteOff, withForeignPtr)
import Foreign.C.Types (CUInt (..))
import GHC.Conc (numCapabilities, par, pseq, setNumCapabilities)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hFlush, stdout)
import System.Mem (performGC, performMajorGC, performMinorGC)

foreign import ccall safe "usleep" usleepSafe :: CUInt -> IO CUInt

-- Keeps much alive and drops it again.
build :: Int -> Int -> Map.Map Int [Int]
build size turns = foldl' turn Map.empty [1 .. turns]
  where
    turn m k = Map.insert (k * 7919 `mod` size) [k .. k + 5] m

work :: IO ()
work = print (sum (map length (Map.elems (build 20000 300000))))

fib :: Int -> Integer
fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2)

sparks :: Int -> IO ()
sparks n = print (go (replicate n 15))
  where
    go [] = 0
    go (k : ks) = let x = fib k in x `par` (let y = go ks in y `pseq` (x + y))

inThreads :: Int -> IO () -> IO ()
inThreads n act = do
    dones <- forM [1 .. n] $ \_ -> do
        done <- newEmptyMVar
        _ <- forkIO (act >> putMVar done ())
        pure done
    mapM_ takeMVar dones

threads :: IO ()
threads = do
    counter <- newMVar (0 :: Int)
    inThreads 400 $ do
        replicateM_ 20 (modifyMVar_ counter (pure . (+ 1)) >> yield)
        void (evaluate (sum [1 .. 2000 :: Integer]))
    readMVar counter >>= print

large :: IO ()
large = do
    blocks <- forM [1 .. 200 :: Int] $ \k -> do
        block <- mallocForeignPtrBytes (300000 + k)
        withForeignPtr block $ \p -> pokeByteOff p 0 (1 :: Int)
        pure block
    work
    forM_ blocks $ \block -> withForeignPtr block $ \p -> pokeByteOff p 8 (2 :: Int)

collect :: IO ()
collect = do
    kept <- newIORef (build 1000 5000)
    forM_ [1 .. 20 :: Int] $ \k -> do
        modifyIORef' kept (Map.insert k [k])
        performMinorGC
        when (k `mod` 5 == 0) performMajorGC
    performGC
    readIORef kept >>= print . Map.size

capsUpAndDown :: IO ()
capsUpAndDown = forM_ [numCapabilities, 3, 1, 4, 2] $ \n -> do
    setNumCapabilities n
    inThreads 8 (void (evaluate (Map.size (build 500 20000))))

main :: IO ()
main = do
    args <- getArgs
    case args of
        ["nothing"] -> pure ()
        ["tiny"] -> putStrLn "tiny"
        ["work"] -> work
        ["sparks"] -> sparks 4000
        ["overflow"] -> sparks 40000
        ["threads"] -> threads
        ["parallel"] -> inThreads 8 (void (evaluate (Map.size (build 5000 60000))))
        ["large"] -> large
        ["collect"] -> collect
        ["caps"] -> capsUpAndDown
        ["foreign"] -> inThreads 4 (replicateM_ 20 (usleepSafe 2000) >> work)
        ["delay"] -> inThreads 20 (replicateM_ 5 (threadDelay 3000)) >> work
        ["alloca"] -> forM_ [1 .. 20000 :: Int] $ \k -> allocaBytes 5000 $ \p -> pokeByteOff p 0 k
        ["idle"] -> work >> threadDelay 700000 >> work
        ["exception"] -> work >> hFlush stdout >> evaluate (length [1 .. (10 :: Int)]) >>= error . show
        ["exit"] -> work >> exitWith (ExitFailure 3)
        ["exit-in-thread"] -> do
            done <- newEmptyMVar
            _ <- forkIO (work >> putMVar done ())
            takeMVar done
            _ <- forkIO (void (evaluate (fib 40)))
            exitWith (ExitFailure 4)
        _ -> error "runs: which?"
