-- | The functions of libhectic that this package calls. Layouts of its structs are those of 64-bit
-- machines; tests/unit/batch.c checks them.
module Hectic.Internal.Foreign where

import Data.Int (Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.C.String (CString)
import Foreign.C.Types (CBool (..), CDouble (..), CInt (..), CSize (..))
import Foreign.Ptr (FunPtr, Ptr)

data CInput
data CLog
data CHeader
data CDecoder
data CStream
data CFilter
data CRenderer
data CEvent
data CTable
data CRow
data CError

-- | hectic_result
type CResult = CInt

resultPartial, resultEvent, resultHeader, resultComplete, resultError :: CResult
resultPartial = 0
resultEvent = 1
resultHeader = 2
resultComplete = 3
resultError = 4

-- | Sizes of structs, in bytes.
sizeOfError, sizeOfLogOptions, sizeOfDamage, sizeOfEvent, sizeOfRecord, sizeOfTableOptions, sizeOfStreamOptions :: Int
sizeOfError = 32
sizeOfLogOptions = 48
sizeOfDamage = 40
sizeOfEvent = 40
sizeOfRecord = 24
sizeOfTableOptions = 48
sizeOfStreamOptions = 24

foreign import ccall safe "hectic_input_open"
  c_input_open :: CString -> Ptr CError -> IO (Ptr CInput)

foreign import ccall unsafe "hectic_input_free"
  c_input_free :: Ptr CInput -> IO ()

foreign import ccall safe "hectic_input_read"
  c_input_read :: Ptr CInput -> Ptr Word8 -> CSize -> Ptr CError -> IO Int64

foreign import ccall unsafe "hectic_input_damage"
  c_input_damage :: Ptr CInput -> IO (Ptr CError)

foreign import ccall unsafe "hectic_input_is_cut_off"
  c_input_is_cut_off :: Ptr CInput -> IO CBool

foreign import ccall unsafe "hectic_error_text"
  c_error_text :: Ptr CError -> CString -> CSize -> IO CString

foreign import ccall safe "hectic_log_open"
  c_log_open :: Ptr CInput -> Ptr () -> Ptr CError -> IO (Ptr CLog)

foreign import ccall safe "hectic_log_free"
  c_log_free :: Ptr CLog -> IO ()

foreign import ccall safe "&hectic_log_free"
  c_log_finalizer :: FunPtr (Ptr CLog -> IO ())

foreign import ccall safe "hectic_log_rewind"
  c_log_rewind :: Ptr CLog -> IO ()

foreign import ccall safe "hectic_log_batch"
  c_log_batch :: Ptr CLog -> Ptr CFilter -> Ptr Word8 -> CSize -> Ptr CSize -> IO CResult

foreign import ccall unsafe "hectic_log_header"
  c_log_header :: Ptr CLog -> IO (Ptr CHeader)

foreign import ccall unsafe "hectic_log_error"
  c_log_error :: Ptr CLog -> IO (Ptr CError)

foreign import ccall unsafe "hectic_log_damage"
  c_log_damage :: Ptr CLog -> Ptr CSize -> Ptr Word64 -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_log_survey"
  c_log_survey :: Ptr CLog -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_header_parse"
  c_header_parse :: Ptr (Ptr CHeader) -> Ptr Word8 -> CSize -> Ptr CError -> IO CSize

foreign import ccall unsafe "hectic_header_bytes"
  c_header_bytes :: Ptr CHeader -> Ptr CSize -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_header_types"
  c_header_types :: Ptr CHeader -> Ptr CSize -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_header_type"
  c_header_type :: Ptr CHeader -> Word16 -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_header_new"
  c_header_new :: Ptr Word8 -> CSize -> IO (Ptr CHeader)

foreign import ccall unsafe "&hectic_header_free"
  c_header_free :: FunPtr (Ptr CHeader -> IO ())

foreign import ccall unsafe "hectic_header_shifted_stop_status"
  c_header_shifted_stop_status :: Ptr CHeader -> IO CBool

foreign import ccall unsafe "hectic_decoder_new"
  c_decoder_new :: IO (Ptr CDecoder)

foreign import ccall unsafe "hectic_decoder_free"
  c_decoder_free :: Ptr CDecoder -> IO ()

foreign import ccall unsafe "&hectic_decoder_free"
  c_decoder_finalizer :: FunPtr (Ptr CDecoder -> IO ())

foreign import ccall unsafe "hectic_decoder_push"
  c_decoder_push :: Ptr CDecoder -> Ptr Word8 -> CSize -> IO ()

foreign import ccall safe "hectic_decoder_batch"
  c_decoder_batch :: Ptr CDecoder -> Ptr CFilter -> Ptr Word8 -> CSize -> Ptr CSize -> IO CResult

foreign import ccall unsafe "hectic_decoder_header"
  c_decoder_header :: Ptr CDecoder -> IO (Ptr CHeader)

foreign import ccall unsafe "hectic_decoder_error"
  c_decoder_error :: Ptr CDecoder -> IO (Ptr CError)

foreign import ccall unsafe "hectic_decoder_resync"
  c_decoder_resync :: Ptr CDecoder -> IO ()

foreign import ccall unsafe "hectic_decoder_skipped"
  c_decoder_skipped :: Ptr CDecoder -> IO Word64

foreign import ccall unsafe "hectic_decoder_position"
  c_decoder_position :: Ptr CDecoder -> IO Word64

foreign import ccall unsafe "hectic_decoder_tail"
  c_decoder_tail :: Ptr CDecoder -> Ptr CSize -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_stream_new"
  c_stream_new :: Ptr Word64 -> IO (Ptr CStream)

foreign import ccall unsafe "hectic_stream_free"
  c_stream_free :: Ptr CStream -> IO ()

foreign import ccall unsafe "hectic_stream_push"
  c_stream_push :: Ptr CStream -> Ptr Word8 -> CSize -> Word64 -> IO ()

foreign import ccall unsafe "hectic_stream_end"
  c_stream_end :: Ptr CStream -> IO ()

foreign import ccall safe "hectic_stream_batch"
  c_stream_batch :: Ptr CStream -> Word64 -> Ptr CFilter -> Ptr Word8 -> CSize -> Ptr CSize -> IO CResult

foreign import ccall unsafe "hectic_stream_due"
  c_stream_due :: Ptr CStream -> IO Word64

foreign import ccall unsafe "hectic_stream_header"
  c_stream_header :: Ptr CStream -> IO (Ptr CHeader)

foreign import ccall unsafe "hectic_stream_error"
  c_stream_error :: Ptr CStream -> IO (Ptr CError)

foreign import ccall unsafe "hectic_place_batch"
  c_place_batch
    :: Ptr CHeader -> Ptr Word8 -> Ptr Word8 -> CSize -> Word64 -> Ptr Word8 -> CSize -> Ptr CSize -> Ptr CSize
    -> IO CResult

foreign import ccall unsafe "hectic_filter_new"
  c_filter_new :: IO (Ptr CFilter)

foreign import ccall unsafe "&hectic_filter_free"
  c_filter_free :: FunPtr (Ptr CFilter -> IO ())

foreign import ccall unsafe "hectic_filter_time"
  c_filter_time :: Ptr CFilter -> Word64 -> Word64 -> IO ()

foreign import ccall unsafe "hectic_filter_cap"
  c_filter_cap :: Ptr CFilter -> Word16 -> IO ()

foreign import ccall unsafe "hectic_filter_thread"
  c_filter_thread :: Ptr CFilter -> Word32 -> IO CBool

foreign import ccall unsafe "hectic_filter_event"
  c_filter_event :: Ptr CFilter -> Word16 -> IO ()

foreign import ccall unsafe "hectic_filter_class"
  c_filter_class :: Ptr CFilter -> CInt -> IO ()

foreign import ccall unsafe "hectic_renderer_new"
  c_renderer_new :: Ptr CHeader -> IO (Ptr CRenderer)

foreign import ccall unsafe "&hectic_renderer_free"
  c_renderer_free :: FunPtr (Ptr CRenderer -> IO ())

foreign import ccall unsafe "hectic_render_text"
  c_render_text :: Ptr CRenderer -> Ptr CEvent -> CInt -> Ptr Word8 -> IO CSize

foreign import ccall unsafe "hectic_render_line"
  c_render_line :: Ptr CRenderer -> Ptr CEvent -> CInt -> CInt -> Ptr Word8 -> IO CSize

foreign import ccall unsafe "hectic_render_json"
  c_render_json :: Ptr CRenderer -> Ptr CEvent -> Ptr Word8 -> IO CSize

foreign import ccall unsafe "hectic_enum_text"
  c_enum_text :: CInt -> Word64 -> IO CString

foreign import ccall unsafe "hectic_shape_by_number"
  c_shape_by_number :: Word16 -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_shape_by_name"
  c_shape_by_name :: CString -> IO (Ptr Word8)

foreign import ccall unsafe "hectic_table_find"
  c_table_find :: CString -> IO (Ptr CTable)

foreign import ccall unsafe "hectic_table_column_find"
  c_table_column_find :: Ptr CTable -> CString -> IO CSize

foreign import ccall unsafe "hectic_row_number"
  c_row_number :: Ptr CRow -> CSize -> Ptr Word64 -> IO CBool

foreign import ccall unsafe "hectic_row_real"
  c_row_real :: Ptr CRow -> CSize -> Ptr CDouble -> IO CBool

foreign import ccall unsafe "hectic_row_text"
  c_row_text :: Ptr CRow -> CSize -> IO CString

type TakeRow = Ptr () -> Ptr CRow -> IO CBool

foreign import ccall "wrapper"
  c_take_row :: TakeRow -> IO (FunPtr TakeRow)

foreign import ccall safe "hectic_table_read"
  c_table_read
    :: Ptr CLog -> Ptr CTable -> Ptr () -> FunPtr TakeRow -> Ptr () -> Ptr CError -> IO CBool

foreign import ccall unsafe "hectic_version"
  c_version :: IO CString

