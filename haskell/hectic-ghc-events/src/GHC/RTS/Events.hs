{-# LANGUAGE CPP #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The types of events, reading and writing of logs, and events as text: the interface of
-- ghc-events 0.21.
module GHC.RTS.Events
  ( -- * The event log types
    EventLog (..)
  , Header (..)
  , Data (..)
  , EventType (..)
  , Event (..)
  , EventInfo (..)
  , ThreadStopStatus (..)
  , CapsetType (..)
  , HeapProfBreakdown (..)
  , HeapProfFlags (..)
  , Timestamp
  , ThreadId
  , TaskId
  , KernelThreadId (..)
  , EventTypeNum
  , EventTypeDesc
  , EventTypeSize
  , BlockSize
  , Capset
  , PID
  , StringId
  , ProcessId
  , MachineId
  , PortId
  , MessageSize
  , MessageTag (..)
  , ParConjDynId
  , ParConjStaticId
  , SparkId
  , FutureId
  , PerfEventTypeNum
    -- * Reading and writing event logs
  , readEventLogFromFile
  , writeEventLogToFile
  , serialiseEventLog
    -- * Utilities
  , CapEvent (..)
  , sortEvents
  , buildEventTypeMap
    -- * Printing
#ifndef API_0_17
  , TimeFormat (..)
#endif
  , printEventsIncremental
  , showEventInfo
  , buildEventInfo
  , showThreadStopStatus
  , ppEventLog
  , ppEventType
  , ppEvent
  , buildEvent
  , buildEvent'
    -- * Perf events
  , nEVENT_PERF_NAME
  , nEVENT_PERF_COUNTER
  , nEVENT_PERF_TRACEPOINT
  , sz_perf_num
  , sz_kernel_tid
    -- * For compatibility with old clients
  , spec
  , time
  ) where

import Control.Concurrent (threadDelay)
import qualified Data.Binary.Put as Put
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as BL
import Data.IntMap (IntMap)
import qualified Data.IntMap as IM
import Data.List (foldl', sortBy)
import qualified Data.Map.Strict as M
import Data.Maybe (mapMaybe)
import Data.Ord (comparing)
import qualified Data.Text.Lazy as TL
#ifdef API_0_21_0
import qualified Data.Text.Lazy.IO as TL
#endif
import Data.Text.Lazy.Builder (Builder)
import qualified Data.Text.Lazy.Builder as TB
import Data.Text.Lazy.Builder.Int (decimal)
import qualified Hectic.Event as H
#ifndef API_0_21_0
import qualified Hectic.Incremental as H
#endif
import System.IO (IOMode (ReadMode), stdout, withFile)

import GHC.RTS.EventTypes
import GHC.RTS.Events.Binary
import GHC.RTS.Events.Incremental
import GHC.RTS.Payloads (payloadOf)

-- | Reads a whole log, as far as it can be decoded; only what is wrong with its header is an error.
readEventLogFromFile :: FilePath -> IO (Either String EventLog)
readEventLogFromFile file = fmap fst . readEventLog <$> BL.readFile file

-- | Writes a log whose events are in any order of those of each cap.
writeEventLogToFile :: FilePath -> EventLog -> IO ()
writeEventLogToFile file = BL.writeFile file . serialiseEventLog

-- | A log as bytes: the events of each cap are put into the blocks that they were in, or else into new ones.
serialiseEventLog :: EventLog -> BL.ByteString
serialiseEventLog (EventLog found (Data events')) = Put.runPut (putEventLog (EventLog found (Data blocked)))
 where
  blocked
    | any (isBlock . evSpec) events' = oldBlocks events'
    | otherwise = concatMap blocks (pieces events')
  pieces some = case splitAt 10000 some of
    ([], _) -> []
    (piece, rest) -> piece : pieces rest
  blocks piece = concatMap block (M.elems (byCap piece))
  byCap piece = M.fromListWith (++) [(evCap event, [event]) | event <- reverse piece]

isBlock :: EventInfo -> Bool
isBlock EventBlock{} = True
isBlock _ = False

-- | The events of each cap belong to its last block that has begun before them.
oldBlocks :: [Event] -> [Event]
oldBlocks = concatMap (sized . reverse) . IM.elems . third . foldl' put (M.empty, 0, IM.empty)
 where
  third (_, _, found) = found
  put (open, next, found) event = case M.lookup (evCap event) open of
    Just number | not (isBlock (evSpec event)) -> (open, next, IM.adjust (event :) number found)
    _ -> (M.insert (evCap event) next open, next + 1, IM.insert next [event] found)
  sized (Event at marker@EventBlock{} number : some) = Event at marker{block_size = bytesOf some} number : some
  sized some = block some

bytesOf :: [Event] -> BlockSize
bytesOf = fromIntegral . BL.length . Put.runPut . mapM_ putEvent

-- | The events of a cap with a marker before them.
block :: [Event] -> [Event]
block [] = []
block some@(first : _) = Event (evTime first) (EventBlock end number (bytesOf some)) (evCap first) : some
 where
  end = maximum (map evTime some)
  number = maybe 0xffff id (evCap first)

-- | By time; events of equal times stay in their order.
sortEvents :: [Event] -> [Event]
sortEvents = sortBy (comparing evTime)

buildEventTypeMap :: [EventType] -> IntMap EventType
buildEventTypeMap types = IM.fromList [(fromIntegral (num t), t) | t <- types]

#ifdef API_0_21_0
-- | Prints the events of a log in the order of the file; or goes on until it is interrupted.
printEventsIncremental :: Bool -> FilePath -> IO ()
printEventsIncremental follows file = withFile file ReadMode (go decodeEventLog)
 where
  go decoder handle = case decoder of
    Produce event next -> TL.hPutStrLn stdout (TB.toLazyText (buildEvent' event)) >> go next handle
    Consume next -> B.hGetSome handle 262144 >>= more decoder next handle
    Done _ -> pure ()
    Error _ message -> fail message
  more decoder next handle chunk
    | not (B.null chunk) = go (next chunk) handle
    | follows = threadDelay 1000000 >> go decoder handle
    | otherwise = pure ()
#else
-- | Prints the events of a log in the order of the file; or goes on until it is interrupted. libhectic
-- makes the text, from the bytes of the events.
printEventsIncremental :: Bool -> FilePath -> IO ()
printEventsIncremental follows file = withFile file ReadMode (\handle -> go handle H.initEventParser B.empty)
 where
  go handle state chunk = do
    let (found, end, state') = H.readAvailable state chunk
        (first, others) = span ((== 1) . H.sectionNumber . H.eventSection) found
    H.hPutLines stdout first
    case end of
      _ | not (null others) -> fail "Unrecognized event type: 26724" -- another header
      H.EventLogParsingError message -> fail message
      H.CompleteEventLog -> go handle state' B.empty
      _ -> next handle state'
  next handle state = do
    chunk <- B.hGetSome handle 262144
    case () of
      _
        | not (B.null chunk) -> go handle state chunk
        | follows -> threadDelay 1000000 >> next handle state
        | otherwise -> pure ()

#endif

-- | How times are printed.
data TimeFormat = RawTime | PrettyTime

showEventInfo :: EventInfo -> String
showEventInfo = TL.unpack . TB.toLazyText . buildEventInfo

-- | What an event says, as hectic prints it.
buildEventInfo :: EventInfo -> Builder
buildEventInfo info = case payloadOf info of
  _ | Shutdown <- info -> "shutting down" -- no log that 0.21 reads has it
#ifdef API_0_21_0
  _ | StopThread t reason <- info -> "stopping thread " <> decimal t <> " (" <> TB.fromString (showThreadStopStatus reason) <> ")"
#endif
#ifdef API_0_17
  _ | NonmovingHeapCensus size' active filled live <- info ->
    "nonmoving heap census " <> decimal (2 ^ size' :: Int) <> ": " <> decimal active <> " active segments, "
      <> decimal filled <> " filled segments, " <> decimal live <> " live blocks"
  _ | TickyCounterDef i arity kinds called <- info ->
    "ticky counter definition " <> decimal i <> ", arity: " <> decimal arity
      <> ", def kinds: " <> TB.fromText kinds <> ", name: " <> TB.fromText called
#endif
  Just known | event : _ <- mapMaybe (\types -> H.makeEvent types 0 Nothing known) allTypes -> TB.fromText (H.renderText event)
  _ -> case info of
    UnknownEvent number -> "Unknown event type " <> decimal number
    _ -> TB.fromString (show info)

-- | Headers that declare all events of the catalogue, in the newest shape and in others.
allTypes :: [H.Section]
allTypes = map (H.Section 1) (H.catalogueHeader : maybe [] pure (H.newHeader others))
 where
  others = [H.EventType 2 (Just 6) "", H.EventType 53 (Just 50) "", H.EventType 207 (Just 14) ""]

showThreadStopStatus :: ThreadStopStatus -> String
showThreadStopStatus reason = case reason of
  NoStatus -> "No stop thread status"
  HeapOverflow -> "heap overflow"
#ifdef API_0_21_0
  StackOverflow -> "stack overflow"
  ThreadBlocked -> "thread blocked"
  BlockedOnCCall -> "blocked in a foreign call"
  BlockedOnCCall_NoUnblockExc -> "blocked in a foreign call"
  ThreadMigrating -> "thread migrating"
  BlockedOnMsgGlobalise -> "waiting for data to be globalised"
#else
  StackOverflow bytes -> "stack overflow, size " ++ show bytes
#endif
  ThreadYielding -> "thread yielding"
  ThreadFinished -> "thread finished"
  ForeignCall -> "making a foreign call"
  BlockedOnMVar -> "blocked on an MVar"
  BlockedOnMVarRead -> "blocked reading an MVar"
  BlockedOnBlackHole -> "blocked on a black hole"
  BlockedOnBlackHoleOwnedBy owner -> "blocked on black hole owned by thread " ++ show owner
  BlockedOnRead -> "blocked on I/O read"
  BlockedOnWrite -> "blocked on I/O write"
  BlockedOnDelay -> "blocked on threadDelay"
  BlockedOnSTM -> "blocked in STM retry"
  BlockedOnDoProc -> "blocked on asyncDoProc"
  BlockedOnMsgThrowTo -> "blocked in throwTo"

#ifdef API_0_17
ppEventLog :: EventLog -> String
ppEventLog = ppEventLogWith RawTime

ppEvent :: IntMap EventType -> Event -> String
ppEvent = ppEventWith RawTime

buildEvent :: IntMap EventType -> Event -> Builder
buildEvent = buildEventWith RawTime
#else
ppEventLog :: TimeFormat -> EventLog -> String
ppEventLog = ppEventLogWith

ppEvent :: TimeFormat -> IntMap EventType -> Event -> String
ppEvent = ppEventWith

-- | An unknown event is its description in the map.
buildEvent :: TimeFormat -> IntMap EventType -> Event -> Builder
buildEvent = buildEventWith
#endif

ppEventLogWith :: TimeFormat -> EventLog -> String
ppEventLogWith format (EventLog (Header types) (Data events')) =
  TL.unpack . TB.toLazyText $
    "Event Types:\n" <> foldMap ((<> "\n") . buildEventType) types
      <> "\nEvents:\n"
      <> foldMap ((<> "\n") . buildEventWith format (buildEventTypeMap types)) (sortEvents events')

ppEventType :: EventType -> String
ppEventType = TL.unpack . TB.toLazyText . buildEventType

buildEventType :: EventType -> Builder
buildEventType (EventType number description declared) =
  decimal number <> ": " <> TB.fromText description <> " (size " <> maybe "variable" decimal declared <> ")"

ppEventWith :: TimeFormat -> IntMap EventType -> Event -> String
ppEventWith format types = TL.unpack . TB.toLazyText . buildEventWith format types

buildEventWith :: TimeFormat -> IntMap EventType -> Event -> Builder
buildEventWith format types = buildWith (buildTime format) $ \number ->
  maybe mempty (TB.fromText . desc) (IM.lookup (fromIntegral number) types)

-- | An unknown event is its number.
buildEvent' :: Event -> Builder
buildEvent' = buildWith decimal (\number -> "Unknown Event (ref: " <> decimal number <> ")")

buildWith :: (Timestamp -> Builder) -> (EventTypeNum -> Builder) -> Event -> Builder
buildWith ofTime ofUnknown (Event at info number) =
  ofTime at <> ": " <> maybe mempty (\c -> "cap " <> decimal c <> ": ") number <> what
 where
  what = case info of
    UnknownEvent unknown -> ofUnknown unknown
    _ -> buildEventInfo info

buildTime :: TimeFormat -> Timestamp -> Builder
buildTime RawTime t = decimal t
buildTime PrettyTime t =
  right seconds <> "s " <> right milliseconds <> "ms " <> right microseconds <> "." <> decimal rest <> padding rest <> "us"
 where
  (seconds, below) = t `divMod` 1000000000
  (milliseconds, below') = below `divMod` 1000000
  (microseconds, rest) = below' `divMod` 1000
  right number = padding number <> decimal number
  padding number
    | number < 10 = "  "
    | number < 100 = " "
    | otherwise = mempty
