{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | What tests/haskell/reading.sh asks of the package hectic.
module Main (main) where

import Control.Concurrent (forkFinally, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (ErrorCall (..), evaluate, throwIO, try)
import Control.Monad (forM, forM_, unless, when)
import Data.Bits (shiftR, xor)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as Lazy
import Data.IORef
import Data.List (foldl', sortOn)
import qualified Data.Text as Text
import qualified Data.Text.IO as Text
import Data.Word
import Hectic
import Hectic.Incremental
import qualified Hectic.Payload as P
import Hectic.Tables
import Hectic.Write
import System.Environment (getArgs)
import System.Exit (die)
import System.IO
import System.Timeout (timeout)

main :: IO ()
main = do
  hSetBinaryMode stdout True
  hSetEncoding stdout utf8
  getArgs >>= run

run :: [String] -> IO ()
run ["json", file] = withLog file $ \eventlog -> forEvents everything eventlog (Text.putStrLn . renderJSON)
run ["lines", file] = readEvents everything file >>= mapM_ (Text.putStrLn . renderLine)
run ["file", file] = forFile everything file (Text.putStrLn . renderJSON)
run ["class", name, file] =
  withLog file $ \eventlog -> forEvents everything{classes = filter ((== name) . show) [minBound ..]} eventlog (Text.putStrLn . renderJSON)
run ["thread", thread, file] =
  withLog file $ \eventlog -> forEvents everything{threads = [read thread]} eventlog (Text.putStrLn . renderJSON)
run ["interval", from', to', file] =
  withLog file $ \eventlog ->
    forEvents everything{from = read from', to = Just (read to')} eventlog (Text.putStrLn . renderJSON)
run ["cap", cap, file] =
  forFile everything{caps = [if cap == "none" then Nothing else Just (read cap)]} file (Text.putStrLn . renderJSON)
run ["pieces", size, file] = do
  input <- B.readFile file
  let (events, end) = parseLog (Lazy.fromChunks (inPieces (read size) input))
  mapM_ (Text.putStrLn . renderJSON) events
  hPrint stderr end
run ["copy", file, out] = Lazy.readFile file >>= writeInFileOrder out . fst . parseLog
run ["sorted", file, out] = readEvents everything file >>= writeEventLogToFile out
run ["typed", file] = forFile everything file typed
run ["gc", file] = withLog file $ \eventlog -> do
  rows <- tableRows wholeLog eventlog
  forM_ rows $ \row -> print (gcStartNs row, gcPauseNs row, gcGeneration row, gcCopiedBytes row)
run ["threads", file] = withLog file $ \eventlog -> do
  rows <- tableRows wholeLog eventlog
  forM_ (sortOn threadsThread rows) $ \row -> print (threadsThread row, threadsRunningNs row, threadsLabel row)
run ["state", file] = withLog file $ \eventlog -> do
  logSections eventlog >>= print
  logIsComplete eventlog >>= print
  logIsCutOff eventlog >>= print
  logDamage eventlog >>= print
  foldFileTo everything (\n _ -> pure (n + 1)) (0 :: Int) file >>= print
run ["misuse", file] = misuse file
run ["stdin"] = withLog "-" $ \eventlog -> do
  forEvents everything{from = 5000000, to = Just 12000000} eventlog (Text.putStrLn . renderJSON)
  nested <- try (forEvents everything eventlog (\_ -> forEvents everything eventlog print))
  case nested of
    Left (_ :: LogError) -> pure ()
    Right () -> die "a pipe was read twice at once"
run ["interrupted", file] = interrupted file
run ["mutate", count, file] = mutate (read count) file
run ["made"] = made
run arguments = die ("reading: " ++ show arguments)

inPieces :: Int -> B.ByteString -> [B.ByteString]
inPieces size input
  | B.null input = []
  | otherwise = B.take size input : inPieces size (B.drop size input)

-- | What a known payload is encoded as is what the log has, if it has the shape that hectic writes
-- and texts that are UTF-8.
typed :: Event -> IO ()
typed event = case payload event of
  P.Unknown{} -> pure ()
  known -> case P.encode known of
    Just (number, bytes)
      | number /= eventNumber event -> wrong "another number"
      | P.decode number (if isFixed bytes then fromIntegral (B.length bytes) else 65535) bytes /= known ->
          wrong "another payload"
      | bytes /= payloadBytes event && B.length bytes == B.length (payloadBytes event) && not (B.isInfixOf "\xef\xbf\xbd" bytes) ->
          wrong "other bytes"
    _ -> pure ()
   where
    isFixed _ = any (\t -> typeNumber t == eventNumber event && typeSize t /= Nothing) (headerTypes (sectionHeader (eventSection event)))
 where
  wrong what = die (what ++ ": " ++ show event)

-- | Exceptions leave a fold and a table, folds can be nested, and threads can share a log.
misuse :: FilePath -> IO ()
misuse file = do
  missing <- try (withLog (file ++ ".missing") (const (pure ())))
  case missing of
    Left (failure :: LogError) -> putStrLn (takeWhile (/= '\n') (Text.unpack (logErrorMessage failure)))
    Right () -> die "a log that is not there was opened"
  withLog file $ \eventlog -> do
    total <- count eventlog
    thrown <- try (forEvents everything eventlog (\_ -> throwIO (ErrorCall "stop")))
    unless (thrown == Left (ErrorCall "stop")) $ die "the exception of a fold was lost"
    again <- count eventlog
    unless (again == total) $ die "an exception has changed the log"
    table <- try (foldTable wholeLog (\_ (_ :: GcRow) -> throwIO (ErrorCall "row")) () eventlog)
    unless (table == Left (ErrorCall "row")) $ die "the exception of a table was lost"
    nested <- foldEvents everything{classes = [UserEvents]} (\n _ -> (+ n) <$> count eventlog) 0 eventlog
    users <- foldEvents everything{classes = [UserEvents]} (\n _ -> pure (n + 1)) (0 :: Int) eventlog
    unless (nested == users * total) $ die "nested folds differ"
    results <- forM [1 .. 4 :: Int] $ \_ -> do
      done <- newEmptyMVar
      _ <- forkFinally (count eventlog) (putMVar done)
      pure done
    counts <- mapM takeMVar results
    forM_ counts $ either (die . show) (\n -> when (n /= total) $ die "threads have counted differently")
  Left unreadable <- readEventLogFromFile (file ++ ".missing")
  putStrLn unreadable
  Right kept <- readEventLogFromFile file
  let texts = map (renderLine . compact) kept
  unless (map renderLine kept == texts) $ die "compact events differ"
  -- A state of the parser can be used again.
  input <- B.readFile file
  let (first, state) = readEvent initEventParser input
      (second, _) = readEvent state B.empty
      (third, _) = readEvent state B.empty
  unless (second == third && first /= PartialEventLog) $ die "the parser is not pure"
  putStrLn "done"
 where
  count eventlog = foldEvents everything (\n _ -> pure (n + 1)) (0 :: Int) eventlog

-- | Exceptions from outside leave no part of a list, and end folds; intervals and lists leave no files open.
interrupted :: FilePath -> IO ()
interrupted file = do
  total <- length <$> readEvents everything file
  forM_ [1 .. 20 :: Int] $ \i -> do
    list <- readEvents everything file
    let again = timeout (100 * i) (evaluate (length list)) >>= maybe again pure
    found <- again
    when (found /= total) $ die ("a list of " ++ show found ++ " events, not " ++ show total)
  withLog file $ \eventlog -> do
    forM_ [1 .. 300] $ \i -> forEvents everything{from = i, to = Just (i + 1)} eventlog (const (pure ()))
    stopped <- timeout 200000 (foldTable wholeLog (\n (_ :: ThreadStatesRow) -> n + 1 <$ threadDelay 50000) (0 :: Int) eventlog)
    when (stopped /= Nothing) $ die "a table was not interrupted"
    never <- newEmptyMVar
    blocked <- timeout 200000 (foldTable wholeLog (\() (_ :: ThreadStatesRow) -> takeMVar never) () eventlog)
    when (blocked /= Nothing) $ die "a blocked step was not interrupted"
    empty <- tableRows wholeLog{tableTo = Just 0} eventlog
    unless (null (empty :: [ThreadStatesRow])) $ die "an empty interval has rows"
  left <- withLog file pure
  closed <- try (forEvents everything left print)
  case closed of
    Left (_ :: LogError) -> pure ()
    Right () -> die "a closed log was read"
  nothing <- try (writeEventLogToFile "none.eventlog" [])
  case nothing of
    Left (_ :: IOError) -> pure ()
    Right () -> die "a log without a header was written"
  Just header <- pure (newHeader [EventType 5000 (Just 4) "x", EventType 0 (Just 4) "Create thread"])
  let section = Section 1 header
  unless (all (== Nothing) [rawEvent section 0 Nothing 5000 (B.replicate n 65) | n <- [5, 100, 65534]]) $ die "a payload is too long"
  unless (makeEvent section 0 (Just 65536) (P.CreateThread 1) == Nothing) $ die "a cap is too large"
  unless (numberNamed "GC_START" == Just 9 && stopStatusText 2 == Just "stack overflow") $ die (show (stopStatusText 2))
  events <- readEvents everything file
  writeEventLogToFile "twice.eventlog" (events ++ maybe [] pure (makeEvent section 7 (Just 0) (P.CreateThread 1)))

-- | Damaged logs: no crash, and the same events from both parsers up to the first damage.
mutate :: Int -> FilePath -> IO ()
mutate rounds file = do
  input <- B.readFile file
  bad <- newIORef (0 :: Int)
  forM_ [1 .. rounds] $ \seed -> do
    let damaged = damage (fromIntegral seed) input
        (events, end) = parseLog (Lazy.fromStrict damaged)
    forM_ events $ \event -> evaluate (length (show (payload event)) + Text.length (renderJSON event))
    _ <- case end of
      EventLogParsingError message -> modifyIORef' bad (+ 1) >> evaluate (length message)
      _ -> pure 0
    when (seed `mod` 20 == 0) $ do
      B.writeFile (file ++ ".damaged") damaged
      result <- try (forFile everything (file ++ ".damaged") (\event -> () <$ evaluate (length (show event))))
      case result of
        Left (_ :: LogError) -> pure ()
        Right () -> pure ()
      table <- try (withLog (file ++ ".damaged") (tableRows wholeLog))
      case table of
        Left (_ :: LogError) -> pure ()
        Right rows -> () <$ evaluate (length (show (rows :: [ThreadsRow])))
  readIORef bad >>= \n -> putStrLn (show n ++ " errors")

damage :: Word64 -> B.ByteString -> B.ByteString
damage seed input = foldl' change input (take 3 (iterate next (next seed)))
 where
  change bytes random =
    let at = fromIntegral (random `shiftR` 8) `mod` B.length bytes
        (before, after) = B.splitAt at bytes
     in case random `shiftR` 60 of
          0 -> before
          1 -> before <> B.drop 7 after
          2 -> before <> B.take 40 bytes <> after
          _ -> before <> B.cons (fromIntegral random) (B.drop 1 after)
  next x = let a = x * 6364136223846793005 + 1442695040888963407 in a `xor` (a `shiftR` 33)

-- | A log from nothing.
made :: IO ()
made = do
  let types = [EventType 0 (Just 4) "Create thread", EventType 18 (Just 14) "Block marker", EventType 19 Nothing "User message"]
  header <- maybe (die "no header") pure (newHeader types)
  let section = Section 1 header
      events =
        [ makeEvent section 10 (Just 0) (P.CreateThread 7)
        , makeEvent section 20 (Just 1) (P.UserMsg "h\228llo")
        , makeEvent section 30 Nothing (P.UserMsg "")
        ]
  unless (makeEvent section 40 Nothing P.GcStart == Nothing) $ die "an undeclared event was made"
  mapM (maybe (die "no event") pure) events >>= writeEventLogToFile "made.eventlog"
