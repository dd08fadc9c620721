{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Logs, as "Hectic.Log" describes.
module Hectic.Internal.Log where

import Control.Concurrent.MVar (MVar, modifyMVar, modifyMVar_, newMVar)
import Control.Exception (bracket, displayException, mask, mask_, onException, throwIO, try)
import Control.Monad (forM, forM_, when)
import Data.Text (Text)
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.List (sortOn)
import Data.Maybe (fromMaybe)
import Data.Word (Word16, Word64, Word8)
import Foreign.C.Types (CSize)
import Foreign.ForeignPtr (ForeignPtr, finalizeForeignPtr, mallocForeignPtrBytes, newForeignPtr, plusForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, alignPtr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff)
import GHC.ForeignPtr (mallocPlainForeignPtrBytes)
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Posix.Internals (c_stat, s_isreg, sizeof_stat, st_mode, withFilePath)

import Hectic.Internal.Event
import Hectic.Internal.Foreign
import Hectic.Payload (Cap, Nanoseconds, ThreadId)

-- | Which events are delivered. Restrictions of different kinds are combined by /and/, those of a
-- list by /or/; an empty list restricts nothing. libhectic applies them: no value is made of what
-- is not selected.
data Selection = Selection
  { from :: !Nanoseconds
  -- ^ not before
  , to :: !(Maybe Nanoseconds)
  -- ^ before
  , classes :: [Class]
  , numbers :: [Word16]
  -- ^ of types of events
  , caps :: [Maybe Cap]
  -- ^ 'Nothing': those of no cap
  , threads :: [ThreadId]
  -- ^ about the thread, or on its cap while it ran
  }
  deriving (Eq, Show)

-- | The classes of events: one for each of the runtime's @-l@ flags, and further ones.
data Class
  = ProcessEvents
  | SchedulerEvents
  | GcEvents
  | NonmovingEvents
  | SparkEvents
  | SparkFullEvents
  | TaskEvents
  | UserEvents
  | TickyEvents
  | HeapProfileEvents
  | TimeProfileEvents
  | InfoTableEvents
  | PerfEvents
  | MercuryEvents
  | EdenEvents
  | FramingEvents
  deriving (Bounded, Enum, Eq, Show)

-- | No restriction.
everything :: Selection
everything = Selection 0 Nothing [] [] [] []

-- | What cannot be decoded.
data Damage = Damage
  { damagePosition :: !Word64
  -- ^ in bytes of the (uncompressed) log
  , damageMessage :: Text
  , damageSkipped :: !Word64
  -- ^ how many bytes have no readable event
  }
  deriving (Eq, Show)

-- | A section of a log.
data SectionInfo = SectionInfo
  { sectionEvents :: !Word64
  , sectionFirst, sectionLast :: !(Maybe Nanoseconds)
  -- ^ the earliest and the latest event
  , sectionComplete :: !Bool
  -- ^ it ends with an end marker
  , sectionCoveredTo :: !Nanoseconds
  -- ^ up to then, no events are missing at its end
  }
  deriving (Eq, Show)

-- | A log whose events are delivered in order of time. Several threads may use it: each fold reads
-- by itself.
data Log = Log
  { logFile :: FilePath
  , logIsRegular :: !Bool
  -- ^ a file that can be opened again
  , logIdle :: MVar (Maybe [(Interval, Ptr CLog)])
  -- ^ open, and used by no fold; 'Nothing': it was closed
  }

-- | What a log of libhectic was opened for. Of what cannot be opened again, there is one for all.
type Interval = (Word64, Word64)

instance Show Log where
  show eventlog = "<log " <> logFile eventlog <> ">"

-- | Opens a log, and closes it after the function. Throws a 'LogError' if it has no valid header.
withLog :: FilePath -> (Log -> IO a) -> IO a
withLog file = bracket open close
 where
  open = mask_ $ do
    isRegular <- isRegularFile file
    c <- openLog file (0, 0)
    Log file isRegular <$> newMVar (Just [((0, 0), c)])
  close eventlog = modifyMVar_ (logIdle eventlog) $ \idle -> Nothing <$ mapM_ (mapM_ (c_log_free . snd)) idle

isRegularFile :: FilePath -> IO Bool
isRegularFile file = withFilePath file $ \path -> allocaBytes sizeof_stat $ \found -> do
  failed <- c_stat path found
  if failed /= 0 then pure False else s_isreg <$> st_mode found

openLog :: FilePath -> (Word64, Word64) -> IO (Ptr CLog)
openLog file (begin, end) = withError $ \failure -> do
  input <- openInput file
  allocaBytes sizeOfLogOptions $ \options -> do
    fillBytes options 0 sizeOfLogOptions
    pokeByteOff options 0 begin
    pokeByteOff options 8 end
    c <- c_log_open input options failure
    when (c == nullPtr) $ throwError file failure
    pure c

-- | Uses a log of libhectic that nobody else uses.
withIdle :: Log -> Interval -> (Ptr CLog -> IO a) -> IO a
withIdle eventlog wanted use = mask $ \restore -> do
  c <- modifyMVar (logIdle eventlog) $ \idle -> case idle of
    Nothing -> failed "the log was closed at the end of withLog"
    Just some -> case break ((== interval) . fst) some of
      (before, (_, c) : after) -> pure (Just (before ++ after), c)
      _ | logIsRegular eventlog -> (,) idle <$> openLog (logFile eventlog) interval
      _ -> failed "another fold reads it, and only a file can be opened again"
  a <- restore (use c) `onException` putBack c
  a <$ putBack c
 where
  interval = if logIsRegular eventlog then wanted else (0, 0)
  failed = throwIO . LogError (logFile eventlog) 0
  -- Some are kept: to open a log takes a pass over it.
  putBack c = do
    c_log_rewind c
    modifyMVar_ (logIdle eventlog) $ \idle -> case idle of
      Nothing -> Nothing <$ c_log_free c
      Just some -> do
        let (kept, others) = splitAt 4 ((interval, c) : some)
        Just kept <$ mapM_ (c_log_free . snd) others

-- | A filter of libhectic; none if all events are selected.
withFilter :: Selection -> (Ptr CFilter -> IO a) -> IO a
withFilter selected use = newFilter selected >>= (`withMaybe` use)

withMaybe :: Maybe (ForeignPtr a) -> (Ptr a -> IO b) -> IO b
withMaybe = maybe ($ nullPtr) withForeignPtr

newFilter :: Selection -> IO (Maybe (ForeignPtr CFilter))
newFilter selected
  | selected == everything = pure Nothing
  | otherwise = do
      filter' <- c_filter_new >>= newForeignPtr c_filter_free
      withForeignPtr filter' $ \f -> do
        c_filter_time f (from selected) (fromMaybe maxBound (to selected))
        forM_ (caps selected) $ c_filter_cap f . capNumber
        forM_ (threads selected) (c_filter_thread f)
        forM_ (numbers selected) (c_filter_event f)
        forM_ (classes selected) (c_filter_class f . fromIntegral . fromEnum)
      pure (Just filter')

-- | Logs have no larger caps than 0xfffd.
capNumber :: Maybe Cap -> Word16
capNumber = maybe 0xffff (fromIntegral . min 0xfffe)

batchSize :: Int
batchSize = 262144

-- | What copies events into a buffer: hectic_log_batch, hectic_decoder_batch.
type NextBatch = Ptr Word8 -> CSize -> Ptr CSize -> IO CResult

-- | Events, the bytes that they take, and what follows them.
readBatch :: NextBatch -> IO (ForeignPtr Word8, Int, CResult)
readBatch next = do
  batch <- mallocPlainForeignPtrBytes batchSize
  withForeignPtr batch $ \buffer -> alloca $ \length' -> do
    result <- next buffer (fromIntegral batchSize) length'
    size <- peek length'
    pure (batch, fromIntegral size, result)

-- | Reads batches until the second function, which gets what follows them, has no section.
foldBatches
  :: NextBatch
  -> (CResult -> Int -> IO (Maybe Section))
  -> (a -> Event -> IO a)
  -> a
  -> IO a
foldBatches next section step = go (error "an event before a header") 0
 where
  go current !number !a = do
    (batch, size, result) <- readBatch next
    a' <- if size > 0 then foldBatch step current batch size a else pure a
    if result == resultEvent
      then go current number a'
      else do
        following <- section result (number + 1)
        case following of
          Just s -> go s (sectionNumber s) a'
          Nothing -> pure a'
{-# INLINE foldBatches #-}

-- | Folds over the selected events in order of time, strictly. The function may throw: that ends
-- the fold.
foldEvents :: Selection -> (a -> Event -> IO a) -> a -> Log -> IO a
foldEvents selected step zero eventlog =
  withIdle eventlog (from selected, fromMaybe 0 (to selected)) $ \c -> withFilter selected $ \f ->
    foldBatches (c_log_batch c f) (followingSection (logFile eventlog) c) step zero
{-# INLINE foldEvents #-}

followingSection :: FilePath -> Ptr CLog -> CResult -> Int -> IO (Maybe Section)
followingSection file c result number
  | result == resultHeader = Just . Section number <$> (c_log_header c >>= copyHeader)
  | result == resultError = c_log_error c >>= throwError file
  | otherwise = pure Nothing

-- | Calls a function for each selected event, in order of time.
forEvents :: Selection -> Log -> (Event -> IO ()) -> IO ()
forEvents selected eventlog act = foldEvents selected (const act) () eventlog
{-# INLINE forEvents #-}

-- | The selected events of a file in order of time, read when they are needed; the file is closed
-- after the last one. An error while reading is thrown where the list is used.
readEvents :: Selection -> FilePath -> IO [Event]
readEvents selected file = do
  c <- openLog file (from selected, fromMaybe 0 (to selected))
  owned <- newForeignPtr c_log_finalizer c
  filter' <- newFilter selected
  go owned filter' (error "an event before a header") 0
 where
  go :: ForeignPtr CLog -> Maybe (ForeignPtr CFilter) -> Section -> Int -> IO [Event]
  -- An exception that arrives meanwhile must not leave a part of it in the list.
  go owned filter' current number = unsafeInterleaveIO $ mask_ $ do
    (batch, size, result) <- withForeignPtr owned $ \c -> withMaybe filter' (readBatch . c_log_batch c)
    events <- reverse <$> foldBatch (\found next -> pure (next : found)) current batch size []
    rest <-
      if result == resultEvent
        then go owned filter' current number
        else do
          following <- withForeignPtr owned $ \c -> followingSection file c result (number + 1)
          maybe ([] <$ finalizeForeignPtr owned) (\s -> go owned filter' s (sectionNumber s)) following
    pure (events ++ rest)

-- | All events of a file in order of time, or why it cannot be read.
readEventLogFromFile :: FilePath -> IO (Either String [Event])
readEventLogFromFile file = either (Left . displayException') Right <$> try (readEvents everything file)
 where
  displayException' = displayException :: LogError -> String

-- | The sections of a log.
logSections :: Log -> IO [SectionInfo]
logSections eventlog = withIdle eventlog (0, 0) $ \c -> do
  survey <- c_log_survey c
  first <- peekByteOff survey 0 :: IO (Ptr Word8)
  count <- peekByteOff survey 8 :: IO CSize
  forM [0 .. fromIntegral count - 1] $ \i -> do
    let at = first `plusPtr` (64 * i) :: Ptr Word8
    earliest <- peekByteOff at 24 :: IO Word64
    latest <- peekByteOff at 32
    events <- peekByteOff at 16 :: IO Word64
    complete <- peekByteOff at 40 :: IO Word8
    covered <- peekByteOff at 48
    let known time = if earliest == maxBound then Nothing else Just time
    pure (SectionInfo events (known earliest) (known latest) (complete /= 0) covered)

-- | Each section ends with its end marker.
logIsComplete :: Log -> IO Bool
logIsComplete eventlog = all sectionComplete <$> logSections eventlog

-- | The file is compressed, and its compressed data end early, as those of a truncated file.
logIsCutOff :: Log -> IO Bool
logIsCutOff eventlog = withIdle eventlog (0, 0) $ \c -> do
  survey <- c_log_survey c
  (/= 0) <$> (peekByteOff survey 96 :: IO Word8)

-- | The damage in the log, in the order of the file; at most the first 1,000 places.
logDamage :: Log -> IO [Damage]
logDamage eventlog = withIdle eventlog (0, 0) $ \c -> alloca $ \kept -> alloca $ \count -> do
  first <- c_log_damage c kept count
  places <- peek kept
  forM [0 .. fromIntegral places - 1] $ \i -> do
    let at = first `plusPtr` (sizeOfDamage * i)
    (position, message) <- readError at
    Damage position message <$> peekByteOff at sizeOfError

-- | How reading a file ended.
data End = End
  { endIsComplete :: !Bool
  -- ^ with an end marker
  , endIsCutOff :: !Bool
  -- ^ the file is compressed, and its compressed data end early, as those of a truncated file
  , endDamage :: [Damage]
  -- ^ the first 1,000 places
  }
  deriving (Eq, Show)

-- | Folds over the selected events in the order of the file, strictly, in one pass: that costs less
-- than the order of time, also with pipes. Events of different caps are not in order. Damage is
-- skipped.
foldFile :: Selection -> (a -> Event -> IO a) -> a -> FilePath -> IO a
foldFile selected step zero file = fst <$> foldFileTo selected step zero file
{-# INLINE foldFile #-}

-- | The same, and how it ended.
foldFileTo :: Selection -> (a -> Event -> IO a) -> a -> FilePath -> IO (a, End)
foldFileTo selected step zero file =
  bracket (openInput file) c_input_free $ \input -> withFilter selected $ \f ->
    withDecoder $ \decoder -> do
      pieces <- newPieces file input decoder
      a <- foldBatches (nextBatch pieces f) (sectionOfPieces pieces) step zero
      (,) a <$> endOf pieces
{-# INLINE foldFileTo #-}

-- | Calls a function for each selected event, in the order of the file.
forFile :: Selection -> FilePath -> (Event -> IO ()) -> IO ()
forFile selected file act = foldFile selected (const act) () file
{-# INLINE forFile #-}

openInput :: FilePath -> IO (Ptr CInput)
openInput file = withError $ \failure -> do
  input <- withFilePath file (`c_input_open` failure)
  input <$ when (input == nullPtr) (throwError file failure)

withDecoder :: (Ptr CDecoder -> IO a) -> IO a
withDecoder use = bracket c_decoder_new c_decoder_free $ \decoder ->
  if decoder == nullPtr then throwIO (LogError "" 0 "out of memory") else use decoder

-- | A file that is pushed into a decoder piece by piece.
data Pieces = Pieces
  { piecesFile :: FilePath
  , piecesInput :: Ptr CInput
  , piecesDecoder :: Ptr CDecoder
  , piecesBuffer :: ForeignPtr Word8
  , piecesState :: IORef PiecesState
  }

data PiecesState = PiecesState
  { isComplete :: !Bool
  , damageCount :: !Int
  , damageFound :: [Damage]
  , pendingDamage :: !(Maybe (Damage, Word64)) -- and the bytes that had been skipped before it
  }

newPieces :: FilePath -> Ptr CInput -> Ptr CDecoder -> IO Pieces
newPieces file input decoder =
  Pieces file input decoder <$> newBuffer <*> newIORef (PiecesState False 0 [] Nothing)

-- | At the beginning of a page: the kernel copies to other addresses at a third of the speed.
newBuffer :: IO (ForeignPtr Word8)
newBuffer = do
  memory <- mallocForeignPtrBytes (pieceSize + page)
  pure (memory `plusForeignPtr` (unsafeForeignPtrToPtr memory `alignPtr` page `minusPtr` unsafeForeignPtrToPtr memory))
 where
  page = 4096

pieceSize :: Int
pieceSize = 1048576

change :: Pieces -> (PiecesState -> PiecesState) -> IO ()
change pieces = modifyIORef' (piecesState pieces)

-- | The next batch of events, with HECTIC_PARTIAL only at the end of the file.
nextBatch :: Pieces -> Ptr CFilter -> Ptr Word8 -> CSize -> Ptr CSize -> IO CResult
nextBatch pieces f buffer capacity length' = do
  result <- c_decoder_batch (piecesDecoder pieces) f buffer capacity length'
  size <- peek length'
  if result == resultPartial && size == 0
    then do
      more <- pushPiece pieces
      if more then nextBatch pieces f buffer capacity length' else pure resultPartial
    else pure (if result == resultPartial then resultEvent else result)

-- | False: the file has ended.
pushPiece :: Pieces -> IO Bool
pushPiece pieces = withForeignPtr (piecesBuffer pieces) $ \buffer -> withError $ \failure -> do
  read' <- c_input_read (piecesInput pieces) buffer (fromIntegral pieceSize) failure
  when (read' < 0) $ do
    damaged <- c_input_damage (piecesInput pieces)
    kind <- peekByteOff damaged 0 :: IO Word16
    if kind == 0
      then throwError (piecesFile pieces) failure
      else readError damaged >>= \(at, text) -> addDamage pieces (Damage at text 0)
  when (read' > 0) $ c_decoder_push (piecesDecoder pieces) buffer (fromIntegral read')
  pure (read' > 0)

addDamage :: Pieces -> Damage -> IO ()
addDamage pieces damage = change pieces $ \s ->
  if damageCount s >= 1000
    then s
    else s{damageCount = damageCount s + 1, damageFound = damage : damageFound s}

-- | The size of the last damage is known when reading has gone on.
settleDamage :: Pieces -> Word64 -> IO ()
settleDamage pieces rest = do
  state <- readIORef (piecesState pieces)
  forM_ (pendingDamage state) $ \(damage, before) -> do
    skipped <- c_decoder_skipped (piecesDecoder pieces)
    change pieces $ \s -> s{pendingDamage = Nothing}
    addDamage pieces damage{damageSkipped = skipped - before + rest}

sectionOfPieces :: Pieces -> CResult -> Int -> IO (Maybe Section)
sectionOfPieces pieces result number
  | result == resultHeader = do
      header <- c_decoder_header decoder >>= copyHeader
      change pieces $ \s -> s{isComplete = False}
      pure (Just (Section number header))
  | result == resultComplete = change pieces (\s -> s{isComplete = True}) >> current
  | result == resultError = do
      settleDamage pieces 0
      failure <- c_decoder_error decoder
      header <- c_decoder_header decoder
      when (header == nullPtr) $ throwError (piecesFile pieces) failure
      (position, message) <- readError failure
      before <- c_decoder_skipped decoder
      change pieces $ \s -> s{pendingDamage = Just (Damage position message 0, before)}
      c_decoder_resync decoder
      current
  | otherwise = do
      header <- c_decoder_header decoder
      used <- c_decoder_position decoder
      rest <- alloca $ \length' -> c_decoder_tail decoder length' >> peek length'
      when (header == nullPtr) $
        throwIO (LogError (piecesFile pieces) 0 (if used == 0 && rest == 0 then "the input is empty" else "the file ends inside its header"))
      pure Nothing
 where
  decoder = piecesDecoder pieces
  current = do
    header <- c_decoder_header decoder
    if header == nullPtr then pure Nothing else Just . Section (number - 1) <$> copyHeader header

endOf :: Pieces -> IO End
endOf pieces = do
  rest <- alloca $ \length' -> c_decoder_tail (piecesDecoder pieces) length' >> peek length'
  settleDamage pieces (fromIntegral rest)
  state <- readIORef (piecesState pieces)
  cutOff <- c_input_is_cut_off (piecesInput pieces)
  pure (End (isComplete state) (cutOff /= 0) (sortOn damagePosition (damageFound state)))
