{-# LANGUAGE CPP #-}

#ifdef API_0_21_0
#define EQ_SHOW (Show)
#else
#define EQ_SHOW (Eq, Show)
#endif

-- | The types of ghc-events 0.21. Their names, fields and instances are its interface. The flags of the
-- package choose older ones: API_0_21_0 those of the release 0.21.0.0, and API_0_17, too, those of 0.17.
module GHC.RTS.EventTypes where

import Data.Binary (Binary (..))
import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.Text (Text)
import qualified Data.Vector.Unboxed as VU
import Data.Word (Word16, Word32, Word64, Word8)

type EventTypeNum = Word16
type EventTypeDesc = Text
type EventTypeSize = Word16

type Timestamp = Word64
type ThreadId = Word32
type CapNo = Word16
type BlockSize = Word32
type RawThreadStopStatus = Word16
type StringId = Word32
type Capset = Word32
type PerfEventTypeNum = Word32
type TaskId = Word64
type PID = Word32

type ProcessId = Word32
type MachineId = Word16
type PortId = ThreadId
type MessageSize = Word32
type ParConjDynId = Word64
type ParConjStaticId = StringId
type SparkId = Word32
type FutureId = Word64

-- | A thread of the operating system.
newtype KernelThreadId = KernelThreadId {kernelThreadId :: Word64}
  deriving (Eq, Ord, Show)

instance Binary KernelThreadId where
  put = put . kernelThreadId
  get = KernelThreadId <$> get

-- | Sizes of fields, in bytes.
sz_perf_num, sz_kernel_tid :: EventTypeSize
sz_perf_num = 4
sz_kernel_tid = 8

-- | A whole log.
data EventLog = EventLog
  { header :: Header
  , dat :: Data
  }
  deriving (Show)

-- | The types that a log declares.
newtype Header = Header {eventTypes :: [EventType]}
  deriving (Eq, Show)

-- | The events in the order of the file.
newtype Data = Data {events :: [Event]}
  deriving (Show)

-- | A type of events.
data EventType = EventType
  { num :: EventTypeNum
  , desc :: EventTypeDesc
  , size :: Maybe EventTypeSize
  -- ^ 'Nothing': each event carries its size
  }
  deriving (Eq, Show)

-- | An event; what it says is decoded when it is needed.
data Event = Event
  { evTime :: {-# UNPACK #-} !Timestamp
  , evSpec :: EventInfo
  , evCap :: Maybe Int
  }
  deriving EQ_SHOW

{-# DEPRECATED time "The field is now called evTime" #-}
time :: Event -> Timestamp
time = evTime

{-# DEPRECATED spec "The field is now called evSpec" #-}
spec :: Event -> EventInfo
spec = evSpec

{-# DEPRECATED CapEvent "CapEvents will be removed soon, now Event has a field evCap" #-}

-- | An event with its cap.
data CapEvent = CapEvent
  { ce_cap :: Maybe Int
  , ce_event :: Event
  }
  deriving (Show)

-- | What an event says.
data EventInfo
  = EventBlock {end_time :: Timestamp, cap :: Int, block_size :: BlockSize}
  | UnknownEvent {ref :: !EventTypeNum}
  | Startup {n_caps :: Int}
  | Shutdown
  | CreateThread {thread :: !ThreadId}
  | RunThread {thread :: !ThreadId}
  | StopThread {thread :: !ThreadId, status :: !ThreadStopStatus}
  | ThreadRunnable {thread :: !ThreadId}
  | MigrateThread {thread :: !ThreadId, newCap :: !Int}
  | WakeupThread {thread :: !ThreadId, otherCap :: !Int}
  | ThreadLabel {thread :: !ThreadId, threadlabel :: !Text}
  | CreateSparkThread {sparkThread :: !ThreadId}
  | SparkCounters
      { sparksCreated, sparksDud, sparksOverflowed, sparksConverted, sparksFizzled, sparksGCd, sparksRemaining :: !Word64 }
  | SparkCreate
  | SparkDud
  | SparkOverflow
  | SparkRun
  | SparkSteal {victimCap :: !Int}
  | SparkFizzle
  | SparkGC
  | TaskCreate {taskId :: TaskId, cap :: !Int, tid :: !KernelThreadId}
  | TaskMigrate {taskId :: TaskId, cap :: !Int, new_cap :: !Int}
  | TaskDelete {taskId :: TaskId}
  | RequestSeqGC
  | RequestParGC
  | StartGC
  | GCWork
  | GCIdle
  | GCDone
  | EndGC
  | GlobalSyncGC
  | GCStatsGHC
      { heapCapset :: !Capset
      , gen :: !Int
      , copied, slop, frag :: !Word64
      , parNThreads :: !Int
      , parMaxCopied, parTotCopied :: !Word64
      , parBalancedCopied :: !(Maybe Word64)
      }
  | MemReturn {heapCapset :: !Capset, current :: !Word32, needed :: !Word32, returned :: !Word32}
  | HeapAllocated {heapCapset :: !Capset, allocBytes :: !Word64}
  | HeapSize {heapCapset :: !Capset, sizeBytes :: !Word64}
  | BlocksSize {heapCapset :: !Capset, blocksSize :: !Word64}
  | HeapLive {heapCapset :: !Capset, liveBytes :: !Word64}
  | HeapInfoGHC
      { heapCapset :: !Capset
      , gens :: !Int
      , maxHeapSize, allocAreaSize, mblockSize, blockSize :: !Word64
      }
  | CapCreate {cap :: !Int}
  | CapDelete {cap :: !Int}
  | CapDisable {cap :: !Int}
  | CapEnable {cap :: !Int}
  | CapsetCreate {capset :: !Capset, capsetType :: CapsetType}
  | CapsetDelete {capset :: !Capset}
  | CapsetAssignCap {capset :: !Capset, cap :: !Int}
  | CapsetRemoveCap {capset :: !Capset, cap :: !Int}
  | RtsIdentifier {capset :: !Capset, rtsident :: !Text}
  | ProgramArgs {capset :: !Capset, args :: [Text]}
  | ProgramEnv {capset :: !Capset, env :: [Text]}
  | OsProcessPid {capset :: !Capset, pid :: !PID}
  | OsProcessParentPid {capset :: !Capset, ppid :: !PID}
  | WallClockTime {capset :: !Capset, sec :: !Word64, nsec :: !Word32}
  | Message {msg :: !Text}
  | UserMessage {msg :: !Text}
  | UserMarker {markername :: !Text}
  | Version {version :: String}
  | ProgramInvocation {commandline :: String}
  | CreateMachine {machine :: !MachineId, realtime :: !Timestamp}
  | KillMachine {machine :: !MachineId}
  | CreateProcess {process :: !ProcessId}
  | KillProcess {process :: !ProcessId}
  | AssignThreadToProcess {thread :: !ThreadId, process :: !ProcessId}
  | EdenStartReceive
  | EdenEndReceive
  | SendMessage
      { mesTag :: !MessageTag
      , senderProcess :: !ProcessId
      , senderThread :: !ThreadId
      , receiverMachine :: !MachineId
      , receiverProcess :: !ProcessId
      , receiverInport :: !PortId
      }
  | ReceiveMessage
      { mesTag :: !MessageTag
      , receiverProcess :: !ProcessId
      , receiverInport :: !PortId
      , senderMachine :: !MachineId
      , senderProcess :: !ProcessId
      , senderThread :: !ThreadId
      , messageSize :: !MessageSize
      }
  | SendReceiveLocalMessage
      { mesTag :: !MessageTag
      , senderProcess :: !ProcessId
      , senderThread :: !ThreadId
      , receiverProcess :: !ProcessId
      , receiverInport :: !PortId
      }
  | InternString {str :: String, sId :: !StringId}
  | MerStartParConjunction {dyn_id :: !ParConjDynId, static_id :: !ParConjStaticId}
  | MerEndParConjunction {dyn_id :: !ParConjDynId}
  | MerEndParConjunct {dyn_id :: !ParConjDynId}
  | MerCreateSpark {dyn_id :: !ParConjDynId, spark_id :: !SparkId}
  | MerFutureCreate {future_id :: !FutureId, name_id :: !StringId}
  | MerFutureWaitNosuspend {future_id :: !FutureId}
  | MerFutureWaitSuspended {future_id :: !FutureId}
  | MerFutureSignal {future_id :: !FutureId}
  | MerLookingForGlobalThread
  | MerWorkStealing
  | MerLookingForLocalSpark
  | MerReleaseThread {thread_id :: !ThreadId}
  | MerCapSleeping
  | MerCallingMain
  | PerfName {perfNum :: !PerfEventTypeNum, name :: !Text}
  | PerfCounter {perfNum :: !PerfEventTypeNum, tid :: !KernelThreadId, period :: !Word64}
  | PerfTracepoint {perfNum :: !PerfEventTypeNum, tid :: !KernelThreadId}
  | HeapProfBegin
      { heapProfId :: !Word8
      , heapProfSamplingPeriod :: !Word64
      , heapProfBreakdown :: !HeapProfBreakdown
      , heapProfModuleFilter :: !Text
      , heapProfClosureDescrFilter :: !Text
      , heapProfTypeDescrFilter :: !Text
      , heapProfCostCentreFilter :: !Text
      , heapProfCostCentreStackFilter :: !Text
      , heapProfRetainerFilter :: !Text
      , heapProfBiographyFilter :: !Text
      }
  | HeapProfCostCentre
      { heapProfCostCentreId :: !Word32
      , heapProfLabel :: !Text
      , heapProfModule :: !Text
      , heapProfSrcLoc :: !Text
      , heapProfFlags :: !HeapProfFlags
      }
  | InfoTableProv
      { itInfo :: !Word64
      , itTableName :: !Text
      , itClosureDesc :: !Int
      , itTyDesc :: !Text
      , itLabel :: !Text
      , itModule :: !Text
      , itSrcLoc :: !Text
      }
  | HeapProfSampleBegin {heapProfSampleEra :: !Word64}
  | HeapProfSampleEnd {heapProfSampleEra :: !Word64}
  | HeapBioProfSampleBegin {heapProfSampleEra :: !Word64, heapProfSampleTime :: !Word64}
  | HeapProfSampleCostCentre
      { heapProfId :: !Word8
      , heapProfResidency :: !Word64
      , heapProfStackDepth :: !Word8
      , heapProfStack :: !(VU.Vector Word32)
      }
  | HeapProfSampleString {heapProfId :: !Word8, heapProfResidency :: !Word64, heapProfLabel :: !Text}
  | ProfSampleCostCentre
#ifdef API_0_17
      { profCapset :: !Capset
#else
      { profCap :: !CapNo
#endif
      , profTicks :: !Word64
      , profStackDepth :: !Word8
      , profCcsStack :: !(VU.Vector Word32)
      }
  | ProfBegin {profTickInterval :: !Word64}
  | UserBinaryMessage {payload :: !ByteString}
  | ConcMarkBegin
  | ConcMarkEnd {concMarkedObjectCount :: !Word32}
  | ConcSyncBegin
  | ConcSyncEnd
  | ConcSweepBegin
  | ConcSweepEnd
  | ConcUpdRemSetFlush {cap :: !Int}
  | NonmovingHeapCensus
#ifdef API_0_17
      { nonmovingCensusBlkSize :: !Word8 -- ^ its logarithm
#else
      { nonmovingCensusBlkSize :: !Word16
#endif
      , nonmovingCensusActiveSegs :: !Word32
      , nonmovingCensusFilledSegs :: !Word32
      , nonmovingCensusLiveBlocks :: !Word32
#ifndef API_0_21_0
      , encodedAsLog :: !Bool
#endif
      }
#ifndef API_0_17
  | NonmovingPrunedSegments {nonmovingPrunedSegments :: !Word32, nonmovingFreeSegments :: !Word32}
#endif
  | TickyCounterDef
      { tickyCtrDefId :: !Word64
      , tickyCtrDefArity :: !Word16
      , tickyCtrDefKinds :: !Text
      , tickyCtrDefName :: !Text
#ifndef API_0_17
      , tickyCtrInfoTbl :: !Word64
      , tickyCtrJsonDesc :: Maybe Text
#endif
      }
  | TickyCounterSample
      { tickyCtrSampleId :: !Word64
      , tickyCtrSampleEntryCount :: !Word64
      , tickyCtrSampleAllocs :: !Word64
      , tickyCtrSampleAllocd :: !Word64
      }
  | TickyBeginSample
  deriving EQ_SHOW

-- | Why a thread stopped.
data ThreadStopStatus
  = NoStatus
  | HeapOverflow
#ifdef API_0_21_0
  | StackOverflow
  | ThreadBlocked
  | BlockedOnCCall
  | BlockedOnCCall_NoUnblockExc
  | ThreadMigrating
  | BlockedOnMsgGlobalise
#else
  | StackOverflow !Word32
#endif
  | ThreadYielding
  | ThreadFinished
  | ForeignCall
  | BlockedOnMVar
  | BlockedOnMVarRead
  | BlockedOnBlackHole
  | BlockedOnRead
  | BlockedOnWrite
  | BlockedOnDelay
  | BlockedOnSTM
  | BlockedOnDoProc
  | BlockedOnMsgThrowTo
  | BlockedOnBlackHoleOwnedBy !ThreadId
  deriving EQ_SHOW

-- | What a set of caps is.
data CapsetType
  = CapsetCustom
  | CapsetOsProcess
  | CapsetClockDomain
  | CapsetUnknown
  deriving EQ_SHOW

-- | What a message of Eden is; the numbers begin with 0x50.
data MessageTag
  = Ready
  | NewPE
  | PETIDS
  | Finish
  | FailPE
  | RFork
  | Connect
  | DataMes
  | Head
  | Constr
  | Part
  | Terminate
  | Packet
  deriving (Enum, Eq, Show)

-- | What a heap profile tells apart; the numbers begin with 1.
data HeapProfBreakdown
  = HeapProfBreakdownCostCentre
  | HeapProfBreakdownModule
  | HeapProfBreakdownClosureDescr
  | HeapProfBreakdownTypeDescr
  | HeapProfBreakdownRetainer
  | HeapProfBreakdownBiography
  | HeapProfBreakdownClosureType
  | HeapProfBreakdownInfoTable
#ifndef API_0_17
  | HeapProfBreakdownEra
#endif
  deriving (Eq, Show)

breakdowns :: [(Word32, HeapProfBreakdown)]
breakdowns =
  zip
    [1 ..]
    [ HeapProfBreakdownCostCentre
    , HeapProfBreakdownModule
    , HeapProfBreakdownClosureDescr
    , HeapProfBreakdownTypeDescr
    , HeapProfBreakdownRetainer
    , HeapProfBreakdownBiography
    , HeapProfBreakdownClosureType
    , HeapProfBreakdownInfoTable
#ifndef API_0_17
    , HeapProfBreakdownEra
#endif
    ]

numberOfBreakdown :: HeapProfBreakdown -> Word32
numberOfBreakdown breakdown = head [number | (number, b) <- breakdowns, b == breakdown]

instance Binary HeapProfBreakdown where
  put = put . numberOfBreakdown
  get = do
    number <- get
    maybe (fail ("Unknown HeapProfBreakdown: " ++ show number)) pure (lookup number breakdowns)

-- | Of a cost centre: bit 0 says that it is a CAF.
newtype HeapProfFlags = HeapProfFlags Word8
  deriving EQ_SHOW

instance Binary HeapProfFlags where
  put (HeapProfFlags flags) = put flags
  get = HeapProfFlags <$> get

isCaf :: HeapProfFlags -> Bool
isCaf (HeapProfFlags flags) = testBit flags 0
