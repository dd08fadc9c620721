{-# LANGUAGE OverloadedStrings #-}

-- | Events from bytes that arrive piece by piece, in the order of the file.
--
-- 'readEvent' is the incremental parser of the proposal for live profiling of GHC. It is pure: a
-- state can be used again.
--
-- > go state input = case readEvent state input of
-- >   (One event, state') -> print event >> go state' B.empty
-- >   (PartialEventLog, state') -> B.hGetSome handle 65536 >>= go state'
-- >   (CompleteEventLog, _) -> pure ()
-- >   (EventLogParsingError message, _) -> fail message
module Hectic.Incremental
  ( -- * The parser
    EventParserState
  , initEventParser
  , parserAt
  , readEvent
  , Result (..)
  , parserSection
  , parserPosition
  , parserRest
    -- * The header
  , readHeader
    -- * Many events
  , readAvailable
  , parseLog
  ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as Lazy
import qualified Data.ByteString.Unsafe as B
import Data.Int (Int64)
import qualified Data.Text as Text
import Data.Word (Word16, Word64)
import Foreign.ForeignPtr (mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Ptr (castPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff)
import System.IO.Unsafe (unsafePerformIO)

import Hectic.Internal.Event
import Hectic.Internal.Foreign

-- | What follows in a log.
data Result a
  = -- | an item
    One a
  | -- | the input holds no other complete item
    PartialEventLog
  | -- | the end of the log; more input may follow, if the program was restarted
    CompleteEventLog
  | -- | what is wrong, and where
    EventLogParsingError String
  deriving (Eq, Show)

instance Functor Result where
  fmap f (One a) = One (f a)
  fmap _ PartialEventLog = PartialEventLog
  fmap _ CompleteEventLog = CompleteEventLog
  fmap _ (EventLogParsingError message) = EventLogParsingError message

-- | Where a parser is in a log, and the input that it has not used.
data EventParserState = EventParserState
  { stateSection :: Maybe Section
  , statePending :: [Event] -- decoded; the rest is after them
  , statePlace :: !Place
  , statePosition :: !Word64
  , stateRest :: [ByteString] -- the last one first
  }

-- | The rest of a block, in bytes, and its cap.
data Place = Place !Int64 !Word16

-- | At the beginning of a log.
initEventParser :: EventParserState
initEventParser = EventParserState Nothing [] outside 0 []

-- | After the header of a section.
parserAt :: Section -> EventParserState
parserAt section = initEventParser{stateSection = Just section}

-- | The input that follows what was parsed.
parserRest :: EventParserState -> ByteString
parserRest = joined . stateRest

outside :: Place
outside = Place 0 0xffff

-- | The section of the log that is read; 'Nothing': its header is not complete.
parserSection :: EventParserState -> Maybe Section
parserSection = stateSection

-- | How many bytes were used.
parserPosition :: EventParserState -> Word64
parserPosition state = case statePending state of
  [] -> statePosition state
  event : _ -> eventPosition event

-- | The header at the beginning of some bytes, and the bytes after it.
readHeader :: ByteString -> Result (Header, ByteString)
readHeader input = case parseHeader input of
  Right (Just (header, used)) -> One (header, B.drop used input)
  Right Nothing -> PartialEventLog
  Left (_, message) -> EventLogParsingError (Text.unpack message)

-- | Parses at most one event; the input is added to what the state holds.
readEvent :: EventParserState -> ByteString -> (Result Event, EventParserState)
readEvent state input = case (statePending state, stateSection state) of
  (event : pending, _) -> (One event, state{statePending = pending, stateRest = added})
  ([], Nothing) -> case headerOf state (joined added) of
    (Nothing, state') -> readEvent state' B.empty
    (Just end, state') -> (end, state')
  ([], Just section) -> eventsOf state section (joined added)
 where
  added = if B.null input then stateRest state else input : stateRest state

joined :: [ByteString] -> ByteString
joined = B.concat . reverse

-- | The state after the header of the next section, or why there is none.
headerOf :: EventParserState -> ByteString -> (Maybe (Result a), EventParserState)
headerOf state rest = case readHeader rest of
  One (header, after) ->
    let used = fromIntegral (B.length rest - B.length after)
        number = maybe 1 ((+ 1) . sectionNumber) (stateSection state)
     in ( Nothing
        , EventParserState (Just (Section number header)) [] outside (statePosition state + used) [after | not (B.null after)]
        )
  EventLogParsingError message -> (Just (failed state message), state{stateRest = [rest]})
  _ -> (Just PartialEventLog, state{stateRest = [rest]})

failed :: EventParserState -> String -> Result a
failed state message = EventLogParsingError (message <> " (at byte " <> show (statePosition state) <> ")")

-- | The next event; those that are decoded with it are kept.
eventsOf :: EventParserState -> Section -> ByteString -> (Result Event, EventParserState)
eventsOf state section rest = case decodeBatch state section rest of
  (event : pending, _, after) -> (One event, after{statePending = pending})
  ([], Just end, after) -> (end, after)
  ([], Nothing, after) -> readEvent after B.empty

-- | The next events, as many as fit into a batch; the state after them; and what follows if it is no event.
decodeBatch :: EventParserState -> Section -> ByteString -> ([Event], Maybe (Result a), EventParserState)
decodeBatch state section rest
  | not (null events) = (events, Nothing, after)
  | result == resultHeader = let (end, next) = headerOf after after' in ([], end, next)
  | result == resultComplete = ([], Just CompleteEventLog, after)
  | result == resultError = ([], Just (failed after (undeclared after')), after)
  | otherwise = ([], Just PartialEventLog, after)
 where
  (result, used, place, events) = decodeSome section (statePlace state) (statePosition state) rest
  -- The end marker is taken when its turn comes.
  used' = if result == resultComplete && not (null events) then used - 2 else used
  after' = B.unsafeDrop used' rest
  after =
    state
      { statePlace = place
      , statePosition = statePosition state + fromIntegral used'
      , stateRest = [after' | not (B.null after')]
      }

-- | As ghc-events says it.
undeclared :: ByteString -> String
undeclared bytes = case map fromIntegral (B.unpack (B.take 2 bytes)) of
  [high, low] -> "Unrecognized event type: " ++ show (high * 256 + low :: Int)
  _ -> "an event that the header does not declare"

decodeSome :: Section -> Place -> Word64 -> ByteString -> (CResult, Int, Place, [Event])
decodeSome section (Place remaining cap) position rest = unsafePerformIO $
  withHeader (sectionHeader section) $ \header -> B.unsafeUseAsCStringLen rest $ \(bytes, size) ->
    allocaBytes 16 $ \place -> alloca $ \used -> alloca $ \copied -> do
      pokeByteOff place 0 remaining
      pokeByteOff place 8 cap
      -- The least event has 10 bytes, and 24 in a batch.
      let capacity = min 131072 (3 * size + 64)
      batch <- mallocForeignPtrBytes capacity
      result <- withForeignPtr batch $ \to ->
        c_place_batch header place (castPtr bytes) (fromIntegral size) position to (fromIntegral capacity) used copied
      length' <- peek used
      end <- fromIntegral <$> peek copied
      place' <- Place <$> peekByteOff place 0 <*> peekByteOff place 8
      events <- foldBatch (\found event -> pure (event : found)) section batch end []
      pure (result, fromIntegral length', place', reverse events)

-- | All events that the input completes, the state after them, and why there are no more.
readAvailable :: EventParserState -> ByteString -> ([Event], Result (), EventParserState)
readAvailable state input = case stateSection state of
  _ | pending@(_ : _) <- statePending state -> more pending (readAvailable state{statePending = []} input)
  Nothing -> case headerOf state (joined added) of
    (Nothing, state') -> readAvailable state' B.empty
    (Just end, state') -> ([], end, state')
  Just section -> case decodeBatch state section (joined added) of
    (events, Nothing, state') -> more events (readAvailable state' B.empty)
    (events, Just end, state') -> (events, end, state')
 where
  added = if B.null input then stateRest state else input : stateRest state
  more events ~(events', end, state') = (events ++ events', end, state')

-- | The events of a whole log in the order of the file, and what ends them, when they are needed.
parseLog :: Lazy.ByteString -> ([Event], Result ())
parseLog = go initEventParser . Lazy.toChunks
 where
  go state chunks = case (readAvailable state (mconcat (take 1 chunks)), drop 1 chunks) of
    ((events, PartialEventLog, state'), rest@(_ : _)) -> more events (go state' rest)
    ((events, CompleteEventLog, state'), rest) | not (null rest) || parserHolds state' -> more events (go state' rest)
    ((events, end, _), _) -> (events, end)
  more events ~(events', end) = (events ++ events', end)

-- | Is there input after what was parsed?
parserHolds :: EventParserState -> Bool
parserHolds = not . null . stateRest
