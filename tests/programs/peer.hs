{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -Wno-deprecations #-}

-- | What tests/haskell/ghc_events.sh asks of GHC.RTS.Events: of ghc-events 0.17 (then PEER is defined), and of the
-- package hectic-ghc-events.
module Main (main) where

import qualified Data.ByteString.Lazy as Lazy
import Data.Either (rights)
import qualified Data.IntMap as IM
import qualified Data.Map as M
import GHC.RTS.Events
import GHC.RTS.Events.Analysis
import GHC.RTS.Events.Analysis.Capability
import GHC.RTS.Events.Analysis.SparkThread
import GHC.RTS.Events.Analysis.Thread
import GHC.RTS.Events.Incremental
import GHC.RTS.Events.Merge
import System.Environment (getArgs)
import System.Exit (die)
import System.IO

main :: IO ()
main = do
  hSetEncoding stdout utf8
  getArgs >>= run

run :: [String] -> IO ()
run ["inc", file] = printEventsIncremental False file
run ["merge", out, a, b] = do
  merged <- mergeEventLogs <$> readLog a <*> readLog b
  writeEventLogToFile out merged
run ["rewrite", out, file] = readLog file >>= writeEventLogToFile out
run ["sort", out, file] = do
  EventLog types' (Data found) <- readLog file
  writeEventLogToFile out (EventLog types' (Data (sortEvents found)))
run [questions, file] = do
  eventlog <- readLog file
  mapM_ (\what -> putStrLn (what ++ ":") >> ask what eventlog) (words questions)
run arguments = die (show arguments)

readLog :: FilePath -> IO EventLog
readLog file = readEventLogFromFile file >>= either die pure

line :: EventLog -> Event -> String
#ifdef PEER
line eventlog = ppEvent (types eventlog)
#else
line eventlog = ppEvent RawTime (types eventlog)
#endif

types :: EventLog -> IM.IntMap EventType
types = buildEventTypeMap . eventTypes . header

ask :: String -> EventLog -> IO ()
ask what eventlog = case what of
#ifdef PEER
  "show" -> putStr (ppEventLog eventlog)
#else
  "show" -> putStr (ppEventLog RawTime eventlog)
#endif
  "types" -> mapM_ (putStrLn . ppEventType) (eventTypes (header eventlog))
  "values" -> mapM_ (\e -> print (evTime e, evCap e, evSpec e)) file
  "texts" -> mapM_ (putStrLn . showEventInfo . evSpec) file
  "caps" -> print (M.fromListWith (++) [(evCap e, [line eventlog e]) | e <- sorted])
  "threads" -> do
    let keys = zipWith capabilityThreadIndexer (rights (validates capabilityThreadRunMachine sorted)) sorted
    print (M.fromListWith (+) (zip keys (repeat (1 :: Int))))
  "validate-threads" -> print (validate threadRoute sorted)
  "validate-run" -> print (validate capabilityThreadRunMachine sorted)
  "validate-pool" -> print (validate capabilityThreadPoolMachine sorted)
  "validate-tasks" -> print (validate capabilityTaskPoolMachine sorted)
  "validate-kernel" -> print (validate capabilityTaskOSMachine sorted)
  "validate-sparks" -> print (validate sparkRoute sorted)
  "simulate-threads" -> printed (simulate threadRoute sorted)
  "simulate-sparks" -> printed (simulate sparkRoute sorted)
  "profile-threads" ->
    printed (profileRouted (refineM evSpec threadMachine) capabilityThreadRunMachine capabilityThreadIndexer evTime sorted)
  "profile-sparks" ->
    printed (profileRouted (refineM evSpec sparkThreadMachine) capabilitySparkThreadMachine capabilitySparkThreadIndexer evTime sorted)
  "profile-indexed" -> printed (profileIndexed (refineM evSpec threadMachine) threadOf evTime sorted)
  "serialised" -> either die (print . length . events . dat . fst) (readEventLog (Lazy.fromStrict (Lazy.toStrict (serialised eventlog))))
  _ -> die what
 where
  file = filter (not . isBlock) (events (dat eventlog)) -- 0.17 does not deliver them
  isBlock e = case evSpec e of { EventBlock{} -> True; _ -> False }
  sorted = sortEvents file
  threadRoute = routeM capabilityThreadRunMachine capabilityThreadIndexer (refineM evSpec threadMachine)
  sparkRoute = routeM capabilitySparkThreadMachine capabilitySparkThreadIndexer (refineM evSpec sparkThreadMachine)
  serialised = serialiseEventLog
  threadOf e = case evSpec e of
    CreateThread t -> Just t
    RunThread t -> Just t
    StopThread t _ -> Just t
    WakeupThread t _ -> Just t
    _ -> Nothing

printed :: (Show e, Show a) => Process e a -> IO ()
printed p = mapM_ print (toList p) >> print (toMaybe p)
