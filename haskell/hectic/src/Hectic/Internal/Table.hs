{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | Rows of the tables of libhectic.
module Hectic.Internal.Table
  ( TableRow (..)
  , TableOptions (..)
  , wholeLog
  , foldTable
  , tableRows
  , Cell
  , numberOf
  , realOf
  , textOf
  , flagOf
  ) where

import Control.Concurrent (forkIO, myThreadId, newEmptyMVar, putMVar, takeMVar, throwTo)
import Control.Exception (SomeException, mask, throwIO, try, uninterruptibleMask_)
import Control.Monad (unless, when)
import Data.Array.Unboxed (UArray, listArray, (!))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Word (Word32, Word64, Word8)
import Foreign.C.Types (CSize)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, freeHaskellFunPtr, nullPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff)

import Hectic.Internal.Event
import Hectic.Internal.Foreign
import Hectic.Internal.Log
import Hectic.Payload (Nanoseconds)

-- | Rows of a table of the catalogue.
class TableRow row where
  tableName :: Proxy row -> ByteString
  columnNames :: Proxy row -> [ByteString]

  -- | From its cells, by their places in 'columnNames'.
  rowOf :: (Int -> Cell) -> IO row

-- | A column of a row.
data Cell = Cell !(Ptr CRow) !CSize

numberOf :: Num n => Cell -> IO (Maybe n)
numberOf (Cell row column) = alloca $ \value -> do
  known <- c_row_number row column value
  if known == 0 then pure Nothing else Just . fromIntegral <$> peek value

realOf :: Cell -> IO (Maybe Double)
realOf (Cell row column) = alloca $ \value -> do
  known <- c_row_real row column value
  if known == 0 then pure Nothing else Just . realToFrac <$> peek value

flagOf :: Cell -> IO (Maybe Bool)
flagOf cell = fmap (/= (0 :: Word64)) <$> numberOf cell

textOf :: Cell -> IO (Maybe Text)
textOf (Cell row column) = do
  text <- c_row_text row column
  if text == nullPtr then pure Nothing else Just . decodeLenient <$> B.packCString text

-- | Of what a table is made.
data TableOptions = TableOptions
  { tableFrom :: !Nanoseconds
  , tableTo :: !(Maybe Nanoseconds)
  , tableProcess :: !(Maybe Word32)
  -- ^ only the process of that pid, or else of that capset, in logs of several
  }
  deriving (Eq, Show)

-- | The whole log, and all processes.
wholeLog :: TableOptions
wholeLog = TableOptions 0 Nothing Nothing

-- | Folds over the rows of a table, strictly, in constant memory. The function may throw: that ends
-- the fold.
foldTable :: forall row a. TableRow row => TableOptions -> (a -> row -> IO a) -> a -> Log -> IO a
foldTable options step zero eventlog = withIdle eventlog (0, 0) $ \c -> do
  table <- B.useAsCString (tableName proxy) c_table_find
  when (table == nullPtr) $ failWith "this libhectic does not have the table"
  found' <- mapM (`B.useAsCString` c_table_column_find table) (columnNames proxy)
  let columns = listArray (0, length found' - 1) (map fromIntegral found') :: UArray Int Word64
  accumulator <- newIORef zero
  thrown <- newIORef Nothing
  stepping <- newIORef Nothing
  done <- newEmptyMVar
  let take' _ row = mask $ \restore -> do
        stopped <- readIORef thrown
        case stopped of
          Just _ -> pure 0
          Nothing -> do
            myThreadId >>= writeIORef stepping . Just
            result <- try $ restore $ do
              found <- rowOf (cellOf row columns)
              a <- readIORef accumulator
              a' <- step a found
              a' `seq` writeIORef accumulator a'
            writeIORef stepping Nothing
            case result of
              Right () -> pure 1
              Left (exception :: SomeException) -> 0 <$ writeIORef thrown (Just exception)
  -- The step runs in another thread, which gets the exceptions of this one.
  let stop (exception :: SomeException) = do
        writeIORef thrown (Just exception)
        readIORef stepping >>= mapM_ (`throwTo` exception)
  unless (isEmpty options) $ withOptions options $ \o -> withError $ \failure -> mask $ \restore -> do
    taker <- c_take_row take'
    _ <- forkIO (c_table_read c table o taker nullPtr failure >>= putMVar done)
    result <- try (restore (takeMVar done))
    ok <- either (\exception -> stop exception >> uninterruptibleMask_ (takeMVar done)) pure result
    freeHaskellFunPtr taker
    readIORef thrown >>= mapM_ throwIO
    kind <- peekByteOff failure 0 :: IO Word32
    unless (ok /= 0 || kind == 0) $ throwError (logFile eventlog) failure
  readIORef accumulator
 where
  proxy = Proxy :: Proxy row
  isEmpty (TableOptions begin end _) = maybe False (<= begin) end
  failWith = throwIO . LogError (logFile eventlog) 0

-- | The column of a row that has a place among those of its type.
cellOf :: Ptr CRow -> UArray Int Word64 -> Int -> Cell
cellOf row columns place = Cell row (fromIntegral (columns ! place))

withOptions :: TableOptions -> (Ptr () -> IO a) -> IO a
withOptions (TableOptions begin end process) use = allocaBytes sizeOfTableOptions $ \o -> do
  fillBytes o 0 sizeOfTableOptions
  pokeByteOff o 0 (fromIntegral sizeOfTableOptions :: CSize)
  pokeByteOff o 8 begin
  pokeByteOff o 16 (maybe 0 id end)
  pokeByteOff o 24 (maybe 0 (const 1) process :: Word8)
  pokeByteOff o 28 (maybe 0 id process)
  use o

-- | All rows of a table.
tableRows :: TableRow row => TableOptions -> Log -> IO [row]
tableRows options eventlog = reverse <$> foldTable options (\rows row -> pure (row : rows)) [] eventlog
