{-# LANGUAGE ScopedTypeVariables #-}

-- | What tests/haskell/live.sh asks of Hectic.Live.
module Main (main) where

import Control.Concurrent (forkFinally, forkIO, isEmptyMVar, killThread, newEmptyMVar, putMVar, readMVar, takeMVar, threadDelay)
import Control.Exception (ErrorCall (..), SomeException, displayException, throwIO, try)
import Control.Monad (forM, forM_, unless, when)
import Data.IORef
import qualified Data.Text as Text
import qualified Data.Text.IO as Text
import Hectic
import Hectic.Live
import System.Directory (listDirectory)
import System.Environment (getArgs)
import System.Exit (die)
import System.IO
import System.Timeout (timeout)

main :: IO ()
main = do
  hSetEncoding stdout utf8
  hSetBuffering stdout LineBuffering
  getArgs >>= run

run :: [String] -> IO ()
run ["time", source] = printing live{liveOrder = OrderOfTime (2 ^ (62 :: Int))} source
run ["soon", source] = printing live source
run ["arrival", source] = printing live{liveOrder = OrderOfArrival} source
run ["gc", source] = printing live{liveSelection = everything{classes = [GcEvents]}} source
run ["wait", source] = printing live{liveWait = Just 50000000} source
-- The sections and ends of that many logs.
run ["again", count, source] = do
  ends <- newIORef (0 :: Int)
  stopped <- try $ forSource live{liveReconnects = True} source $ \item -> case item of
    Happened _ -> pure ()
    Ended _ -> do
      print item
      modifyIORef ends (+ 1)
      n <- readIORef ends
      when (n == read count) $ throwIO (ErrorCall "enough")
    _ -> line item
  either (\(ErrorCall text) -> putStrLn text) pure stopped
-- Several at the same time: how many events each has, and how it ended.
run ("several" : sources) = do
  waits <- forM sources $ \source -> do
    done <- newEmptyMVar
    _ <- forkFinally (foldSource live source count (0 :: Int, False)) (putMVar done)
    pure done
  forM_ waits $ \done -> takeMVar done >>= either throwIO print
 where
  count (n, _) (Ended complete) = pure (n, complete)
  count (n, ended) (Happened _) = let n' = n + 1 in n' `seq` pure (n', ended)
  count counted _ = pure counted
-- That many readers of each source begin at the same time: those of the first one end while the others wait.
run ["together", count, source, other] = do
  begin <- newEmptyMVar
  let reader text = do
        done <- newEmptyMVar
        thread <- forkFinally (readMVar begin >> forSource live text (const (pure ()))) (putMVar done)
        pure (thread, done)
  pairs <- forM [1 .. read count :: Int] $ \_ -> (,) <$> reader source <*> reader other
  putMVar begin ()
  forM_ pairs $ \((_, done), _) -> timeout 60000000 (takeMVar done) >>= maybe (die "a reader does not end") (either throwIO pure)
  forM_ pairs $ \(_, (thread, _)) -> killThread thread
-- Without the command: the error, and how many descriptors each try has left open. GHC's runtime may open one for all.
run ["missing", source] = do
  before <- descriptors
  errors <- forM [1 .. 50 :: Int] $ \_ -> try (forSource live{liveCommand = "no-such-command"} source (const (pure ())))
  after <- descriptors
  forM_ (take 1 errors) $ either (\e -> putStrLn (displayException (e :: LogError))) pure
  print ((after - before) `quot` length errors)
 where
  descriptors = length <$> listDirectory "/proc/self/fd"
-- The program ends while another thread reads.
run ["abandoned", source] = forkIO (forSource live source (const (pure ()))) >> threadDelay 300000
-- Another thread runs while a source is waited for, and exceptions end that.
run ["interrupted", source, other] = do
  ticks <- newIORef (0 :: Int)
  ticking <- newEmptyMVar
  clock <- forkFinally (forM_ [1 ..] $ \n -> writeIORef ticks n >> threadDelay 1000) (\_ -> putMVar ticking ())
  forM_ [OrderOfTime 0, OrderOfArrival] $ \order -> do
    done <- newEmptyMVar
    begun <- newEmptyMVar
    thread <- forkFinally (putMVar begun () >> forSource live{liveOrder = order} source (const (pure ()))) (putMVar done)
    takeMVar begun
    before <- readIORef ticks
    let waitFor n = readIORef ticks >>= \now -> when (now < before + n) $ threadDelay 10000 >> waitFor n
    waitFor 100
    ended <- isEmptyMVar done
    unless ended $ die "it has ended"
    killThread thread
    killed <- takeMVar done
    either (\(_ :: SomeException) -> pure ()) (\_ -> die "it was not killed") killed
  thrown <- try (forSource live other (\_ -> throwIO (ErrorCall "mine")))
  when (thrown /= Left (ErrorCall "mine")) $ die "it was not thrown"
  killThread clock
  takeMVar ticking
run arguments = die ("what is " ++ unwords arguments ++ "?")

printing :: Live -> String -> IO ()
printing options source = forSource options source line

line :: Item -> IO ()
line (Began section) = putStrLn ("began " ++ show (sectionNumber section))
line (Happened event) = do
  Text.putStrLn (renderJSON event)
  forM_ (eventGap event) print
line (Damaged position message) = putStrLn ("damaged at " ++ show position ++ ": " ++ Text.unpack message)
line (Ended complete) = putStrLn (if complete then "ended" else "cut off")
