{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- | What events say. Made from the catalogue of events, as docs/events.md is: that document has
-- the texts, units and versions of all of them.
--
-- The fields have the names of the catalogue, so several constructors share them: import this
-- module qualified, and match.
--
-- > import qualified Hectic.Payload as P
-- >
-- > describe event = case payload event of
-- >   P.StopThread{P.thread = t} -> "thread " ++ show t ++ " stopped"
-- >   _ -> ""
--
-- A field is 'Nothing' in events of versions of GHC that do not write it. In texts, bytes that are
-- not UTF-8 are U+FFFD: 'Hectic.Event.payloadBytes' has them all.
module Hectic.Payload
  ( -- * Payloads
    Payload (..)
  , payloadNumber
    -- * Types of fields
  , ThreadId
  , Cap
  , Capset
  , Nanoseconds
  , Bytes
    -- * Names
  , eventName
    -- * Bytes
  , decode
  , encode
  , isVariable
  ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Text (Text)
import Data.Word (Word16, Word32, Word64)
import GHC.Generics (Generic)

import Hectic.Internal.Fields

-- | A Haskell thread.
type ThreadId = Word32

-- | A capability.
type Cap = Word32

-- | A set of capabilities, such as an OS process.
type Capset = Word32

-- | A duration, or a time since the log began.
type Nanoseconds = Word64

-- | A size.
type Bytes = Word64

-- | What an event says: its name in the catalogue, its meaning, and its fields with their units.
data Payload
  = -- | An event that the catalogue does not have, or a payload that is too short for its fields.
    Unknown
      { unknownNumber :: !Word16
      , unknownPayload :: !ByteString
      }
  | -- | CREATE_THREAD: A Haskell thread was created.
    CreateThread
      { thread :: !ThreadId -- ^ thread
      }
  | -- | RUN_THREAD: The thread started to run on this cap.
    RunThread
      { thread :: !ThreadId -- ^ thread
      }
  | -- | STOP_THREAD: The thread stopped running, for the reason in status. info is the thread that owns the black hole (status 8), or the size of the stack (status 2, since GHC 9.4).
    StopThread
      { thread :: !ThreadId -- ^ thread
      , status :: !Word64 -- ^ stop-status
      , info :: !(Maybe Word64)
      }
  | -- | THREAD_RUNNABLE: The thread is ready to run and waits in this cap\'s queue.
    ThreadRunnable
      { thread :: !ThreadId -- ^ thread
      }
  | -- | MIGRATE_THREAD: The thread migrated from this cap to another.
    MigrateThread
      { thread :: !ThreadId -- ^ thread
      , newCap :: !Cap -- ^ cap
      }
  | -- | RUN_SPARK: The thread started to evaluate a spark. Until GHC 7.2.
    RunSpark
      { thread :: !ThreadId -- ^ thread
      }
  | -- | STEAL_SPARK: The thread took a spark from another cap. Until GHC 7.2.
    StealSpark
      { thread :: !ThreadId -- ^ thread
      , victimCap :: !Cap -- ^ cap
      }
  | -- | SHUTDOWN: The cap is shut down. Replaced by CAP_DELETE in GHC 7.6.
    Shutdown
  | -- | THREAD_WAKEUP: This cap woke the thread, which will run on other_cap.
    ThreadWakeup
      { thread :: !ThreadId -- ^ thread
      , otherCap :: !Cap -- ^ cap
      }
  | -- | GC_START: This cap stopped its mutator for a garbage collection, in which it takes part or for which it waits.
    GcStart
  | -- | GC_END: The garbage collection ended on this cap.
    GcEnd
  | -- | REQUEST_SEQ_GC: This cap requests that all caps stop for a sequential (one-thread) garbage collection.
    RequestSeqGc
  | -- | REQUEST_PAR_GC: This cap requests that all caps stop for a parallel garbage collection.
    RequestParGc
  | -- | CREATE_SPARK: A spark was created by this thread. GHC 6.12 only.
    CreateSpark
      { capNo :: !Cap -- ^ cap
      , thread :: !ThreadId -- ^ thread
      }
  | -- | SPARK_TO_THREAD: A spark became a thread. GHC 6.12 only.
    SparkToThread
      { capNo :: !Cap -- ^ cap
      , thread :: !ThreadId -- ^ thread
      , sparkThread :: !ThreadId -- ^ thread
      }
  | -- | CREATE_SPARK_THREAD: A thread that evaluates sparks was created.
    CreateSparkThread
      { thread :: !ThreadId -- ^ thread
      }
  | -- | LOG_MSG: A message of the runtime system.
    LogMsg
      { message :: !Text -- ^ message
      }
  | -- | STARTUP: The runtime started with this number of caps. Replaced by CAP_CREATE in GHC 7.6.
    Startup
      { caps :: !Word64 -- ^ count
      }
  | -- | BLOCK_MARKER: The following events belong to cap_no (65535: no cap), up to size bytes from the beginning of the marker. A size or end time of 0 marks an unfinished block.
    BlockMarker
      { size :: !Bytes -- ^ bytes
      , endTime :: !Nanoseconds -- ^ time
      , capNo :: !Cap -- ^ cap
      }
  | -- | USER_MSG: A message from the program (Debug.Trace.traceEvent).
    UserMsg
      { message :: !Text -- ^ message
      }
  | -- | GC_IDLE: This GC thread ran out of work.
    GcIdle
  | -- | GC_WORK: This GC thread found work.
    GcWork
  | -- | GC_DONE: This GC thread finished its work.
    GcDone
  | -- | VERSION: The compiler\'s version (Eden; elsewhere RTS_IDENTIFIER).
    Version
      { version :: !Text -- ^ runtime
      }
  | -- | PROGRAM_INVOCATION: The command line (Eden; elsewhere PROGRAM_ARGS).
    ProgramInvocation
      { commandLine :: !Text -- ^ arguments
      }
  | -- | CAPSET_CREATE: A set of caps was created: an OS process, or a clock domain.
    CapsetCreate
      { capset :: !Capset -- ^ capset
      , capsetType :: !Word64 -- ^ capset-type
      }
  | -- | CAPSET_DELETE: The capset was deleted.
    CapsetDelete
      { capset :: !Capset -- ^ capset
      }
  | -- | CAPSET_ASSIGN_CAP: The cap was added to the capset.
    CapsetAssignCap
      { capset :: !Capset -- ^ capset
      , capNo :: !Cap -- ^ cap
      }
  | -- | CAPSET_REMOVE_CAP: The cap was removed from the capset.
    CapsetRemoveCap
      { capset :: !Capset -- ^ capset
      , capNo :: !Cap -- ^ cap
      }
  | -- | RTS_IDENTIFIER: The runtime\'s name, version and way (\"GHC-9.0.2 rts_thr_l\").
    RtsIdentifier
      { capset :: !Capset -- ^ capset
      , rts :: !Text -- ^ runtime
      }
  | -- | PROGRAM_ARGS: The program\'s name and arguments.
    ProgramArgs
      { capset :: !Capset -- ^ capset
      , args :: ![Text] -- ^ arguments
      }
  | -- | PROGRAM_ENV: The program\'s environment, as NAME=VALUE. It may contain secrets.
    ProgramEnv
      { capset :: !Capset -- ^ capset
      , env :: ![Text] -- ^ environment
      }
  | -- | OSPROCESS_PID: The process id.
    OsprocessPid
      { capset :: !Capset -- ^ capset
      , pid :: !Word64 -- ^ os-process
      }
  | -- | OSPROCESS_PPID: The process id of the parent.
    OsprocessPpid
      { capset :: !Capset -- ^ capset
      , ppid :: !Word64 -- ^ os-process
      }
  | -- | SPARK_COUNTERS: Totals of this cap\'s sparks since the program started, and the number of sparks in its pool.
    SparkCounters
      { created :: !Word64 -- ^ count
      , dud :: !Word64 -- ^ count
      , overflowed :: !Word64 -- ^ count
      , converted :: !Word64 -- ^ count
      , gcd :: !Word64 -- ^ count
      , fizzled :: !Word64 -- ^ count
      , remaining :: !Word64 -- ^ count
      }
  | -- | SPARK_CREATE: A spark was added to this cap\'s pool.
    SparkCreate
  | -- | SPARK_DUD: par was called with a value that was already evaluated.
    SparkDud
  | -- | SPARK_OVERFLOW: A spark was discarded because the pool was full.
    SparkOverflow
  | -- | SPARK_RUN: This cap started to evaluate a spark from its own pool.
    SparkRun
  | -- | SPARK_STEAL: This cap started to evaluate a spark from another cap\'s pool.
    SparkSteal
      { victimCap :: !Cap -- ^ cap
      }
  | -- | SPARK_FIZZLE: A spark in the pool was already evaluated.
    SparkFizzle
  | -- | SPARK_GC: A spark in the pool was unreachable and was garbage-collected.
    SparkGc
  | -- | INTERN_STRING: Assigns a number to a string for later events.
    InternString
      { string :: !Text -- ^ interned
      , stringId :: !Word64 -- ^ string
      }
  | -- | WALL_CLOCK_TIME: The wall-clock time at the time of this event.
    WallClockTime
      { capset :: !Capset -- ^ capset
      , seconds :: !Word64 -- ^ seconds
      , nanoseconds :: !Nanoseconds -- ^ ns
      }
  | -- | THREAD_LABEL: The thread got a label (GHC.Conc.labelThread).
    ThreadLabel
      { thread :: !ThreadId -- ^ thread
      , label :: !Text -- ^ label
      }
  | -- | CAP_CREATE: A cap was created.
    CapCreate
      { capNo :: !Cap -- ^ cap
      }
  | -- | CAP_DELETE: A cap was deleted.
    CapDelete
      { capNo :: !Cap -- ^ cap
      }
  | -- | CAP_DISABLE: A cap was disabled (setNumCapabilities).
    CapDisable
      { capNo :: !Cap -- ^ cap
      }
  | -- | CAP_ENABLE: A cap was enabled again (setNumCapabilities).
    CapEnable
      { capNo :: !Cap -- ^ cap
      }
  | -- | HEAP_ALLOCATED: The memory that this cap has allocated since the program started.
    HeapAllocated
      { capset :: !Capset -- ^ capset
      , bytes :: !Bytes -- ^ bytes
      }
  | -- | HEAP_SIZE: The memory that the heap has from the OS, in full megablocks.
    HeapSize
      { capset :: !Capset -- ^ capset
      , bytes :: !Bytes -- ^ bytes
      }
  | -- | HEAP_LIVE: The live data after a major garbage collection.
    HeapLive
      { capset :: !Capset -- ^ capset
      , bytes :: !Bytes -- ^ bytes
      }
  | -- | HEAP_INFO_GHC: The parameters of the heap; max_heap_size 0: no limit.
    HeapInfoGhc
      { capset :: !Capset -- ^ capset
      , generations :: !Word64 -- ^ count
      , maxHeapSize :: !Bytes -- ^ bytes
      , allocAreaSize :: !Bytes -- ^ bytes
      , mblockSize :: !Bytes -- ^ bytes
      , blockSize :: !Bytes -- ^ bytes
      }
  | -- | GC_STATS_GHC: Statistics of a garbage collection. par_threads 1: sequential. Work balance if parallel: par_balanced_copied / par_total_copied.
    GcStatsGhc
      { capset :: !Capset -- ^ capset
      , generation :: !Word64
      , copied :: !Bytes -- ^ bytes
      , slop :: !Bytes -- ^ bytes
      , fragmentation :: !Bytes -- ^ bytes
      , parThreads :: !Word64 -- ^ count
      , parMaxCopied :: !Bytes -- ^ bytes
      , parTotalCopied :: !Bytes -- ^ bytes
      , parBalancedCopied :: !(Maybe Bytes) -- ^ bytes
      }
  | -- | GC_GLOBAL_SYNC: Every cap has stopped: up to its GC_END, all are in the same garbage collection.
    GcGlobalSync
  | -- | TASK_CREATE: A task (an OS thread of the runtime) was created.
    TaskCreate
      { task :: !Word64 -- ^ task
      , capNo :: !Cap -- ^ cap
      , osThread :: !Word64 -- ^ os-thread
      }
  | -- | TASK_MIGRATE: A task migrated to another cap.
    TaskMigrate
      { task :: !Word64 -- ^ task
      , capNo :: !Cap -- ^ cap
      , newCap :: !Cap -- ^ cap
      }
  | -- | TASK_DELETE: A task was deleted.
    TaskDelete
      { task :: !Word64 -- ^ task
      }
  | -- | USER_MARKER: A marker set by the program (Debug.Trace.traceMarker).
    UserMarker
      { name :: !Text -- ^ marker
      }
  | -- | HACK_BUG_T9003: Never written: its declaration in a header indicates the stop statuses of GHC 7.8.3, not those of 7.8.2.
    HackBugT9003
  | -- | EDEN_START_RECEIVE: Starts to receive messages from other machines.
    EdenStartReceive
  | -- | EDEN_END_RECEIVE: All pending messages were received.
    EdenEndReceive
  | -- | CREATE_PROCESS: An Eden process (a group of threads) was created.
    CreateProcess
      { process :: !Word64
      }
  | -- | KILL_PROCESS: An Eden process ended.
    KillProcess
      { process :: !Word64
      }
  | -- | ASSIGN_THREAD_TO_PROCESS: The thread belongs to the process.
    AssignThreadToProcess
      { thread :: !ThreadId -- ^ thread
      , process :: !Word64
      }
  | -- | CREATE_MACHINE: A machine started, at a wall-clock time in units of 10 ns.
    CreateMachine
      { machine :: !Word64
      , startTime :: !Word64 -- ^ 10-ns
      }
  | -- | KILL_MACHINE: A machine ended.
    KillMachine
      { machine :: !Word64
      }
  | -- | SEND_MESSAGE: A message was sent to another machine.
    SendMessage
      { tag :: !Word64 -- ^ message-tag
      , senderProcess :: !Word64
      , senderThread :: !ThreadId -- ^ thread
      , receiverMachine :: !Word64
      , receiverProcess :: !Word64
      , receiverInport :: !Word64
      }
  | -- | RECEIVE_MESSAGE: A message was received from another machine.
    ReceiveMessage
      { tag :: !Word64 -- ^ message-tag
      , receiverProcess :: !Word64
      , receiverInport :: !Word64
      , senderMachine :: !Word64
      , senderProcess :: !Word64
      , senderThread :: !ThreadId -- ^ thread
      , messageSize :: !Bytes -- ^ bytes
      }
  | -- | SEND_RECEIVE_LOCAL_MESSAGE: A message between processes of one machine.
    SendReceiveLocalMessage
      { tag :: !Word64 -- ^ message-tag
      , senderProcess :: !Word64
      , senderThread :: !ThreadId -- ^ thread
      , receiverProcess :: !Word64
      , receiverInport :: !Word64
      }
  | -- | MEM_RETURN: After a major garbage collection: the megablocks held, those needed, and those returned to the OS.
    MemReturn
      { capset :: !Capset -- ^ capset
      , current :: !Word64 -- ^ mblocks
      , needed :: !Word64 -- ^ mblocks
      , returned :: !Word64 -- ^ mblocks
      }
  | -- | BLOCKS_SIZE: The memory in blocks in use; HEAP_SIZE less this is fragmentation.
    BlocksSize
      { capset :: !Capset -- ^ capset
      , bytes :: !Bytes -- ^ bytes
      }
  | -- | MER_START_PAR_CONJUNCTION: A parallel conjunction begins.
    MerStartParConjunction
      { dynId :: !Word64 -- ^ address
      , staticId :: !Word64 -- ^ string
      }
  | -- | MER_STOP_PAR_CONJUNCTION: A parallel conjunction ends.
    MerStopParConjunction
      { dynId :: !Word64 -- ^ address
      }
  | -- | MER_STOP_PAR_CONJUNCT: One part of a parallel conjunction ends.
    MerStopParConjunct
      { dynId :: !Word64 -- ^ address
      }
  | -- | MER_CREATE_SPARK: A spark was created for a part of a parallel conjunction.
    MerCreateSpark
      { dynId :: !Word64 -- ^ address
      , sparkId :: !Word64 -- ^ address
      }
  | -- | MER_FUT_CREATE: A future was created; name_id refers to an INTERN_STRING.
    MerFutCreate
      { futureId :: !Word64 -- ^ address
      , nameId :: !Word64 -- ^ string
      }
  | -- | MER_FUT_WAIT_NOSUSPEND: A future\'s value was available when it was requested.
    MerFutWaitNosuspend
      { futureId :: !Word64 -- ^ address
      }
  | -- | MER_FUT_WAIT_SUSPENDED: A thread had to wait for a future\'s value.
    MerFutWaitSuspended
      { futureId :: !Word64 -- ^ address
      }
  | -- | MER_FUT_SIGNAL: A future got its value.
    MerFutSignal
      { futureId :: !Word64 -- ^ address
      }
  | -- | MER_LOOKING_FOR_GLOBAL_CONTEXT: This engine searches for a context to resume.
    MerLookingForGlobalContext
  | -- | MER_WORK_STEALING: This engine tries to steal a spark from another engine.
    MerWorkStealing
  | -- | MER_RELEASE_CONTEXT: A context returns to the free pool.
    MerReleaseContext
      { thread :: !ThreadId -- ^ thread
      }
  | -- | MER_ENGINE_SLEEPING: This engine found no work and goes to sleep.
    MerEngineSleeping
  | -- | MER_LOOKING_FOR_LOCAL_SPARK: This engine searches its own pool for a spark.
    MerLookingForLocalSpark
  | -- | MER_CALLING_MAIN: The runtime is initialized and calls main.
    MerCallingMain
  | -- | PERF_NAME: Assigns a number to a hardware counter.
    PerfName
      { perfNum :: !Word64 -- ^ perf-counter
      , name :: !Text -- ^ counter
      }
  | -- | PERF_COUNTER: A counter increased by period + 1.
    PerfCounter
      { perfNum :: !Word64 -- ^ perf-counter
      , osThread :: !Word64 -- ^ os-thread
      , period :: !Word64 -- ^ count
      }
  | -- | PERF_TRACEPOINT: A tracepoint was reached.
    PerfTracepoint
      { perfNum :: !Word64 -- ^ perf-counter
      , osThread :: !Word64 -- ^ os-thread
      }
  | -- | HEAP_PROF_BEGIN: A heap profile begins: its sampling period, its breakdown, and its filters (empty: no filter).
    HeapProfBegin
      { profile :: !Word64 -- ^ profile
      , heapProfBeginPeriod :: !Nanoseconds -- ^ ns
      , breakdown :: !Word64 -- ^ breakdown
      , moduleFilter :: !Text -- ^ selector
      , closureDescriptionFilter :: !Text -- ^ selector
      , typeDescriptionFilter :: !Text -- ^ selector
      , costCentreFilter :: !Text -- ^ selector
      , costCentreStackFilter :: !Text -- ^ selector
      , retainerFilter :: !Text -- ^ selector
      , biographyFilter :: !Text -- ^ selector
      }
  | -- | HEAP_PROF_COST_CENTRE: Defines a cost centre. Bit 0 of flags: it is a CAF.
    HeapProfCostCentre
      { costCentre :: !Word64 -- ^ cost-centre
      , label :: !Text -- ^ function
      , module_ :: !Text -- ^ module
      , location :: !Text -- ^ location
      , flags :: !Word64
      }
  | -- | HEAP_PROF_SAMPLE_BEGIN: A heap census begins.
    HeapProfSampleBegin
      { era :: !Word64
      }
  | -- | HEAP_PROF_SAMPLE_COST_CENTRE: The bytes that belong to this cost-centre stack (innermost first).
    HeapProfSampleCostCentre
      { profile :: !Word64 -- ^ profile
      , residency :: !Bytes -- ^ bytes
      , stack :: ![Word32] -- ^ cost-centre
      }
  | -- | HEAP_PROF_SAMPLE_STRING: The bytes that belong to this type, description, module, closure type, biographical state …
    HeapProfSampleString
      { profile :: !Word64 -- ^ profile
      , residency :: !Bytes -- ^ bytes
      , label :: !Text -- ^ band
      }
  | -- | HEAP_PROF_SAMPLE_END: A heap census is complete.
    HeapProfSampleEnd
      { era :: !Word64
      }
  | -- | HEAP_BIO_PROF_SAMPLE_BEGIN: A biographical census begins. All of them are written at the end of the run: sample_time is the time of the census.
    HeapBioProfSampleBegin
      { era :: !Word64
      , sampleTime :: !Nanoseconds -- ^ time
      }
  | -- | PROF_SAMPLE_COST_CENTRE: The current cost-centre stack of a cap (innermost first) at a tick of the profiler.
    ProfSampleCostCentre
      { capNo :: !Cap -- ^ cap
      , tick :: !Word64 -- ^ count
      , stack :: ![Word32] -- ^ cost-centre
      }
  | -- | PROF_BEGIN: A time profile begins.
    ProfBegin
      { tickInterval :: !Nanoseconds -- ^ ns
      }
  | -- | IPE: The source location of the closures with this info table.
    Ipe
      { ipeInfo :: !Word64 -- ^ address
      , tableName :: !Text -- ^ function
      , closureDescription :: !Text -- ^ closure
      , typeDescription :: !Text -- ^ closure
      , label :: !Text -- ^ function
      , module_ :: !Text -- ^ module
      , location :: !Text -- ^ location
      }
  | -- | USER_BINARY_MSG: A binary message from the program (Debug.Trace.Binary, traceBinaryEvent#).
    UserBinaryMsg
      { userBinaryMsgMessage :: !ByteString -- ^ data
      }
  | -- | CONC_MARK_BEGIN: The concurrent mark phase begins.
    ConcMarkBegin
  | -- | CONC_MARK_END: The mark queue is empty.
    ConcMarkEnd
      { objects :: !Word64 -- ^ count
      }
  | -- | CONC_SYNC_BEGIN: All caps are stopped to finish marking.
    ConcSyncBegin
  | -- | CONC_SYNC_END: The caps continue.
    ConcSyncEnd
  | -- | CONC_SWEEP_BEGIN: The concurrent sweep phase begins.
    ConcSweepBegin
  | -- | CONC_SWEEP_END: The concurrent garbage collection ended.
    ConcSweepEnd
  | -- | CONC_UPD_REM_SET_FLUSH: The cap flushed its update remembered set to the collector.
    ConcUpdRemSetFlush
      { capNo :: !Cap -- ^ cap
      }
  | -- | NONMOVING_HEAP_CENSUS: The occupancy of the segments for one block size; log_block_size is its base-2 logarithm. Until GHC 9.8; hectic writes this shape, since ghc-events 0.17 misreads the newer one.
    NonmovingHeapCensus
      { logBlockSize :: !(Maybe Word64)
      , activeSegments :: !Word64 -- ^ count
      , filledSegments :: !Word64 -- ^ count
      , liveBlocks :: !Word64 -- ^ count
      , nonmovingHeapCensusBlockSize :: !(Maybe Bytes) -- ^ bytes
      }
  | -- | NONMOVING_PRUNED_SEGMENTS: The numbers of free segments released and retained.
    NonmovingPrunedSegments
      { pruned :: !Word64 -- ^ count
      , free :: !Word64 -- ^ count
      }
  | -- | TICKY_COUNTER_DEF: Defines a ticky counter. info_table (since GHC 9.4) and json (since 9.6) are optional.
    TickyCounterDef
      { counter :: !Word64 -- ^ ticky-counter
      , arity :: !Word64 -- ^ count
      , kinds :: !Text -- ^ closure
      , name :: !Text -- ^ function
      , infoTable :: !(Maybe Word64) -- ^ address
      , json :: !(Maybe Text) -- ^ closure
      }
  | -- | TICKY_COUNTER_SAMPLE: The growth of a counter since its previous sample: entries, bytes allocated by its code, and bytes of its closures that were allocated (only with -ticky-allocd). GHC\'s documentation says words; its compiler counts bytes.
    TickyCounterSample
      { counter :: !Word64 -- ^ ticky-counter
      , entries :: !Word64 -- ^ count
      , allocs :: !Bytes -- ^ bytes
      , allocd :: !Bytes -- ^ bytes
      }
  | -- | TICKY_BEGIN_SAMPLE: Begins a group of samples, which ends at the next event of this type.
    TickyBeginSample
  | -- | SYNC: Replays an earlier event that is part of the live state, for clients that connected later: its number, its cap (65535: none), and its fields. Other readers can ignore it. The text continues with the cap and text of that event; in JSON, \`replayed\` is an object with its cap, name and fields.
    Sync
      { number :: !Word64
      , capNo :: !Cap -- ^ cap
      , fields :: !ByteString
      }
  deriving (Eq, Show, Generic)

-- | The payload of an event of this number, if its shape has this size (65,535: a variable one).
-- 'Unknown' if there is none, or if the payload ends before its fields.
decode :: Word16 -> Word16 -> ByteString -> Payload
decode number' shape payload = case decoder number' shape of
  Fixed size' make | B.length payload >= size' -> make payload
  Variable get | Just known <- runGet get payload -> known
  _ -> Unknown number' payload

-- | How a shape is decoded: one of a fixed size, in bytes, or not.
data Decoder
  = Fixed !Int (ByteString -> Payload)
  | Variable (Get Payload)
  | NoShape

decoder :: Word16 -> Word16 -> Decoder
decoder 0 4 = Fixed 4 $ \b -> CreateThread (at32 b 0)
decoder 1 4 = Fixed 4 $ \b -> RunThread (at32 b 0)
decoder 2 10 = Fixed 10 $ \b -> StopThread (at32 b 0) (at16 b 4) (Just (at32 b 6))
decoder 2 6 = Fixed 6 $ \b -> StopThread (at32 b 0) (at16 b 4) Nothing
decoder 3 4 = Fixed 4 $ \b -> ThreadRunnable (at32 b 0)
decoder 4 6 = Fixed 6 $ \b -> MigrateThread (at32 b 0) (at16 b 4)
decoder 5 4 = Fixed 4 $ \b -> RunSpark (at32 b 0)
decoder 6 6 = Fixed 6 $ \b -> StealSpark (at32 b 0) (at16 b 4)
decoder 7 0 = Fixed 0 $ \_ -> Shutdown
decoder 8 6 = Fixed 6 $ \b -> ThreadWakeup (at32 b 0) (at16 b 4)
decoder 9 0 = Fixed 0 $ \_ -> GcStart
decoder 10 0 = Fixed 0 $ \_ -> GcEnd
decoder 11 0 = Fixed 0 $ \_ -> RequestSeqGc
decoder 12 0 = Fixed 0 $ \_ -> RequestParGc
decoder 13 6 = Fixed 6 $ \b -> CreateSpark (at16 b 0) (at32 b 2)
decoder 14 10 = Fixed 10 $ \b -> SparkToThread (at16 b 0) (at32 b 2) (at32 b 6)
decoder 15 4 = Fixed 4 $ \b -> CreateSparkThread (at32 b 0)
decoder 16 65535 = Variable $ do
  message' <- getText 0
  pure $ LogMsg message'
decoder 17 2 = Fixed 2 $ \b -> Startup (at16 b 0)
decoder 18 14 = Fixed 14 $ \b -> BlockMarker (at32 b 0) (at64 b 4) (at16 b 12)
decoder 19 65535 = Variable $ do
  message' <- getText 0
  pure $ UserMsg message'
decoder 20 0 = Fixed 0 $ \_ -> GcIdle
decoder 21 0 = Fixed 0 $ \_ -> GcWork
decoder 22 0 = Fixed 0 $ \_ -> GcDone
decoder 23 65535 = Variable $ do
  version' <- getLatin1 0
  pure $ Version version'
decoder 24 65535 = Variable $ do
  commandLine' <- getLatin1 0
  pure $ ProgramInvocation commandLine'
decoder 25 6 = Fixed 6 $ \b -> CapsetCreate (at32 b 0) (at16 b 4)
decoder 26 4 = Fixed 4 $ \b -> CapsetDelete (at32 b 0)
decoder 27 6 = Fixed 6 $ \b -> CapsetAssignCap (at32 b 0) (at16 b 4)
decoder 28 6 = Fixed 6 $ \b -> CapsetRemoveCap (at32 b 0) (at16 b 4)
decoder 29 65535 = Variable $ do
  capset' <- getWord32
  rts' <- getText 0
  pure $ RtsIdentifier capset' rts'
decoder 30 65535 = Variable $ do
  capset' <- getWord32
  args' <- getTexts 0
  pure $ ProgramArgs capset' args'
decoder 31 65535 = Variable $ do
  capset' <- getWord32
  env' <- getTexts 0
  pure $ ProgramEnv capset' env'
decoder 32 8 = Fixed 8 $ \b -> OsprocessPid (at32 b 0) (at32 b 4)
decoder 33 8 = Fixed 8 $ \b -> OsprocessPpid (at32 b 0) (at32 b 4)
decoder 34 56 = Fixed 56 $ \b -> SparkCounters (at64 b 0) (at64 b 8) (at64 b 16) (at64 b 24) (at64 b 32) (at64 b 40) (at64 b 48)
decoder 35 0 = Fixed 0 $ \_ -> SparkCreate
decoder 36 0 = Fixed 0 $ \_ -> SparkDud
decoder 37 0 = Fixed 0 $ \_ -> SparkOverflow
decoder 38 0 = Fixed 0 $ \_ -> SparkRun
decoder 39 2 = Fixed 2 $ \b -> SparkSteal (at16 b 0)
decoder 40 0 = Fixed 0 $ \_ -> SparkFizzle
decoder 41 0 = Fixed 0 $ \_ -> SparkGc
decoder 42 65535 = Variable $ do
  string' <- getLatin1 4
  stringId' <- getWord32
  pure $ InternString string' stringId'
decoder 43 16 = Fixed 16 $ \b -> WallClockTime (at32 b 0) (at64 b 4) (at32 b 12)
decoder 44 65535 = Variable $ do
  thread' <- getWord32
  label' <- getText 0
  pure $ ThreadLabel thread' label'
decoder 45 2 = Fixed 2 $ \b -> CapCreate (at16 b 0)
decoder 46 2 = Fixed 2 $ \b -> CapDelete (at16 b 0)
decoder 47 2 = Fixed 2 $ \b -> CapDisable (at16 b 0)
decoder 48 2 = Fixed 2 $ \b -> CapEnable (at16 b 0)
decoder 49 12 = Fixed 12 $ \b -> HeapAllocated (at32 b 0) (at64 b 4)
decoder 50 12 = Fixed 12 $ \b -> HeapSize (at32 b 0) (at64 b 4)
decoder 51 12 = Fixed 12 $ \b -> HeapLive (at32 b 0) (at64 b 4)
decoder 52 38 = Fixed 38 $ \b -> HeapInfoGhc (at32 b 0) (at16 b 4) (at64 b 6) (at64 b 14) (at64 b 22) (at64 b 30)
decoder 53 58 = Fixed 58 $ \b -> GcStatsGhc (at32 b 0) (at16 b 4) (at64 b 6) (at64 b 14) (at64 b 22) (at32 b 30) (at64 b 34) (at64 b 42) (Just (at64 b 50))
decoder 53 50 = Fixed 50 $ \b -> GcStatsGhc (at32 b 0) (at16 b 4) (at64 b 6) (at64 b 14) (at64 b 22) (at32 b 30) (at64 b 34) (at64 b 42) Nothing
decoder 54 0 = Fixed 0 $ \_ -> GcGlobalSync
decoder 55 18 = Fixed 18 $ \b -> TaskCreate (at64 b 0) (at16 b 8) (at64 b 10)
decoder 56 12 = Fixed 12 $ \b -> TaskMigrate (at64 b 0) (at16 b 8) (at16 b 10)
decoder 57 8 = Fixed 8 $ \b -> TaskDelete (at64 b 0)
decoder 58 65535 = Variable $ do
  name' <- getText 0
  pure $ UserMarker name'
decoder 59 0 = Fixed 0 $ \_ -> HackBugT9003
decoder 60 0 = Fixed 0 $ \_ -> EdenStartReceive
decoder 61 0 = Fixed 0 $ \_ -> EdenEndReceive
decoder 62 4 = Fixed 4 $ \b -> CreateProcess (at32 b 0)
decoder 63 4 = Fixed 4 $ \b -> KillProcess (at32 b 0)
decoder 64 8 = Fixed 8 $ \b -> AssignThreadToProcess (at32 b 0) (at32 b 4)
decoder 65 10 = Fixed 10 $ \b -> CreateMachine (at16 b 0) (at64 b 2)
decoder 66 2 = Fixed 2 $ \b -> KillMachine (at16 b 0)
decoder 67 19 = Fixed 19 $ \b -> SendMessage (at8 b 0) (at32 b 1) (at32 b 5) (at16 b 9) (at32 b 11) (at32 b 15)
decoder 68 23 = Fixed 23 $ \b -> ReceiveMessage (at8 b 0) (at32 b 1) (at32 b 5) (at16 b 9) (at32 b 11) (at32 b 15) (at32 b 19)
decoder 69 17 = Fixed 17 $ \b -> SendReceiveLocalMessage (at8 b 0) (at32 b 1) (at32 b 5) (at32 b 9) (at32 b 13)
decoder 90 16 = Fixed 16 $ \b -> MemReturn (at32 b 0) (at32 b 4) (at32 b 8) (at32 b 12)
decoder 91 12 = Fixed 12 $ \b -> BlocksSize (at32 b 0) (at64 b 4)
decoder 100 12 = Fixed 12 $ \b -> MerStartParConjunction (at64 b 0) (at32 b 8)
decoder 101 8 = Fixed 8 $ \b -> MerStopParConjunction (at64 b 0)
decoder 102 8 = Fixed 8 $ \b -> MerStopParConjunct (at64 b 0)
decoder 103 12 = Fixed 12 $ \b -> MerCreateSpark (at64 b 0) (at32 b 8)
decoder 104 12 = Fixed 12 $ \b -> MerFutCreate (at64 b 0) (at32 b 8)
decoder 105 8 = Fixed 8 $ \b -> MerFutWaitNosuspend (at64 b 0)
decoder 106 8 = Fixed 8 $ \b -> MerFutWaitSuspended (at64 b 0)
decoder 107 8 = Fixed 8 $ \b -> MerFutSignal (at64 b 0)
decoder 108 0 = Fixed 0 $ \_ -> MerLookingForGlobalContext
decoder 109 0 = Fixed 0 $ \_ -> MerWorkStealing
decoder 110 4 = Fixed 4 $ \b -> MerReleaseContext (at32 b 0)
decoder 111 0 = Fixed 0 $ \_ -> MerEngineSleeping
decoder 112 0 = Fixed 0 $ \_ -> MerLookingForLocalSpark
decoder 113 0 = Fixed 0 $ \_ -> MerCallingMain
decoder 140 65535 = Variable $ do
  perfNum' <- getWord32
  name' <- getText 0
  pure $ PerfName perfNum' name'
decoder 141 20 = Fixed 20 $ \b -> PerfCounter (at32 b 0) (at64 b 4) (at64 b 12)
decoder 142 12 = Fixed 12 $ \b -> PerfTracepoint (at32 b 0) (at64 b 4)
decoder 160 65535 = Variable $ do
  profile' <- getWord8
  heapProfBeginPeriod' <- getWord64
  breakdown' <- getWord32
  moduleFilter' <- getString
  closureDescriptionFilter' <- getString
  typeDescriptionFilter' <- getString
  costCentreFilter' <- getString
  costCentreStackFilter' <- getString
  retainerFilter' <- getString
  biographyFilter' <- getString
  pure $ HeapProfBegin profile' heapProfBeginPeriod' breakdown' moduleFilter' closureDescriptionFilter' typeDescriptionFilter' costCentreFilter' costCentreStackFilter' retainerFilter' biographyFilter'
decoder 161 65535 = Variable $ do
  costCentre' <- getWord32
  label' <- getString
  module_' <- getString
  location' <- getString
  flags' <- getWord8
  pure $ HeapProfCostCentre costCentre' label' module_' location' flags'
decoder 162 8 = Fixed 8 $ \b -> HeapProfSampleBegin (at64 b 0)
decoder 163 65535 = Variable $ do
  profile' <- getWord8
  residency' <- getWord64
  stack' <- getWord32s
  pure $ HeapProfSampleCostCentre profile' residency' stack'
decoder 164 65535 = Variable $ do
  profile' <- getWord8
  residency' <- getWord64
  label' <- getString
  pure $ HeapProfSampleString profile' residency' label'
decoder 165 8 = Fixed 8 $ \b -> HeapProfSampleEnd (at64 b 0)
decoder 166 16 = Fixed 16 $ \b -> HeapBioProfSampleBegin (at64 b 0) (at64 b 8)
decoder 167 65535 = Variable $ do
  capNo' <- getWord32
  tick' <- getWord64
  stack' <- getWord32s
  pure $ ProfSampleCostCentre capNo' tick' stack'
decoder 168 8 = Fixed 8 $ \b -> ProfBegin (at64 b 0)
decoder 169 65535 = Variable $ do
  ipeInfo' <- getWord64
  tableName' <- getString
  closureDescription' <- getString
  typeDescription' <- getString
  label' <- getString
  module_' <- getString
  location' <- getString
  pure $ Ipe ipeInfo' tableName' closureDescription' typeDescription' label' module_' location'
decoder 181 65535 = Variable $ do
  userBinaryMsgMessage' <- getBytes 0
  pure $ UserBinaryMsg userBinaryMsgMessage'
decoder 200 0 = Fixed 0 $ \_ -> ConcMarkBegin
decoder 201 4 = Fixed 4 $ \b -> ConcMarkEnd (at32 b 0)
decoder 202 0 = Fixed 0 $ \_ -> ConcSyncBegin
decoder 203 0 = Fixed 0 $ \_ -> ConcSyncEnd
decoder 204 0 = Fixed 0 $ \_ -> ConcSweepBegin
decoder 205 0 = Fixed 0 $ \_ -> ConcSweepEnd
decoder 206 2 = Fixed 2 $ \b -> ConcUpdRemSetFlush (at16 b 0)
decoder 207 14 = Fixed 14 $ \b -> NonmovingHeapCensus Nothing (at32 b 2) (at32 b 6) (at32 b 10) (Just (at16 b 0))
decoder 207 13 = Fixed 13 $ \b -> NonmovingHeapCensus (Just (at8 b 0)) (at32 b 1) (at32 b 5) (at32 b 9) Nothing
decoder 208 8 = Fixed 8 $ \b -> NonmovingPrunedSegments (at32 b 0) (at32 b 4)
decoder 210 65535 = Variable $ do
  counter' <- getWord64
  arity' <- getWord16
  kinds' <- getString
  name' <- getString
  infoTable' <- optional getWord64
  json' <- optional getString
  pure $ TickyCounterDef counter' arity' kinds' name' infoTable' json'
decoder 211 32 = Fixed 32 $ \b -> TickyCounterSample (at64 b 0) (at64 b 8) (at64 b 16) (at64 b 24)
decoder 212 0 = Fixed 0 $ \_ -> TickyBeginSample
decoder 1999 65535 = Variable $ do
  number' <- getWord16
  capNo' <- getWord16
  fields' <- getBytes 0
  pure $ Sync number' capNo' fields'
decoder _ _ = NoShape

-- | The number of the event, and its payload in the shape that hectic writes. 'Nothing': a value
-- does not fit its field, a text has a NUL where that ends it, or the payload is longer than
-- 65,535 bytes.
encode :: Payload -> Maybe (Word16, ByteString)
encode payload = let Encoded number' _ put = encoder payload in (,) number' <$> runPut put

-- | Does each event of this type carry the size of its payload?
isVariable :: Payload -> Bool
isVariable payload = let Encoded _ variable _ = encoder payload in variable

encoder :: Payload -> Encoded
encoder (Unknown number' payload) = Encoded number' True (putBytes payload)
encoder (CreateThread thread') = Encoded 0 False $
  putWord32 thread'
encoder (RunThread thread') = Encoded 1 False $
  putWord32 thread'
encoder (StopThread thread' status' (Just info')) = Encoded 2 False $
  putWord32 thread' <> putWord16 status' <> putWord32 info'
encoder (StopThread thread' status' Nothing) = Encoded 2 False $
  putWord32 thread' <> putWord16 status'
encoder (ThreadRunnable thread') = Encoded 3 False $
  putWord32 thread'
encoder (MigrateThread thread' newCap') = Encoded 4 False $
  putWord32 thread' <> putWord16 newCap'
encoder (RunSpark thread') = Encoded 5 False $
  putWord32 thread'
encoder (StealSpark thread' victimCap') = Encoded 6 False $
  putWord32 thread' <> putWord16 victimCap'
encoder (Shutdown) = Encoded 7 False mempty
encoder (ThreadWakeup thread' otherCap') = Encoded 8 False $
  putWord32 thread' <> putWord16 otherCap'
encoder (GcStart) = Encoded 9 False mempty
encoder (GcEnd) = Encoded 10 False mempty
encoder (RequestSeqGc) = Encoded 11 False mempty
encoder (RequestParGc) = Encoded 12 False mempty
encoder (CreateSpark capNo' thread') = Encoded 13 False $
  putWord16 capNo' <> putWord32 thread'
encoder (SparkToThread capNo' thread' sparkThread') = Encoded 14 False $
  putWord16 capNo' <> putWord32 thread' <> putWord32 sparkThread'
encoder (CreateSparkThread thread') = Encoded 15 False $
  putWord32 thread'
encoder (LogMsg message') = Encoded 16 True $
  putText message'
encoder (Startup caps') = Encoded 17 False $
  putWord16 caps'
encoder (BlockMarker size' endTime' capNo') = Encoded 18 False $
  putWord32 size' <> putWord64 endTime' <> putWord16 capNo'
encoder (UserMsg message') = Encoded 19 True $
  putText message'
encoder (GcIdle) = Encoded 20 False mempty
encoder (GcWork) = Encoded 21 False mempty
encoder (GcDone) = Encoded 22 False mempty
encoder (Version version') = Encoded 23 True $
  putLatin1 version'
encoder (ProgramInvocation commandLine') = Encoded 24 True $
  putLatin1 commandLine'
encoder (CapsetCreate capset' capsetType') = Encoded 25 False $
  putWord32 capset' <> putWord16 capsetType'
encoder (CapsetDelete capset') = Encoded 26 False $
  putWord32 capset'
encoder (CapsetAssignCap capset' capNo') = Encoded 27 False $
  putWord32 capset' <> putWord16 capNo'
encoder (CapsetRemoveCap capset' capNo') = Encoded 28 False $
  putWord32 capset' <> putWord16 capNo'
encoder (RtsIdentifier capset' rts') = Encoded 29 True $
  putWord32 capset' <> putText rts'
encoder (ProgramArgs capset' args') = Encoded 30 True $
  putWord32 capset' <> putTexts args'
encoder (ProgramEnv capset' env') = Encoded 31 True $
  putWord32 capset' <> putTexts env'
encoder (OsprocessPid capset' pid') = Encoded 32 False $
  putWord32 capset' <> putWord32 pid'
encoder (OsprocessPpid capset' ppid') = Encoded 33 False $
  putWord32 capset' <> putWord32 ppid'
encoder (SparkCounters created' dud' overflowed' converted' gcd' fizzled' remaining') = Encoded 34 False $
  putWord64 created' <> putWord64 dud' <> putWord64 overflowed' <> putWord64 converted' <> putWord64 gcd' <> putWord64 fizzled' <> putWord64 remaining'
encoder (SparkCreate) = Encoded 35 False mempty
encoder (SparkDud) = Encoded 36 False mempty
encoder (SparkOverflow) = Encoded 37 False mempty
encoder (SparkRun) = Encoded 38 False mempty
encoder (SparkSteal victimCap') = Encoded 39 False $
  putWord16 victimCap'
encoder (SparkFizzle) = Encoded 40 False mempty
encoder (SparkGc) = Encoded 41 False mempty
encoder (InternString string' stringId') = Encoded 42 True $
  putLatin1 string' <> putWord32 stringId'
encoder (WallClockTime capset' seconds' nanoseconds') = Encoded 43 False $
  putWord32 capset' <> putWord64 seconds' <> putWord32 nanoseconds'
encoder (ThreadLabel thread' label') = Encoded 44 True $
  putWord32 thread' <> putText label'
encoder (CapCreate capNo') = Encoded 45 False $
  putWord16 capNo'
encoder (CapDelete capNo') = Encoded 46 False $
  putWord16 capNo'
encoder (CapDisable capNo') = Encoded 47 False $
  putWord16 capNo'
encoder (CapEnable capNo') = Encoded 48 False $
  putWord16 capNo'
encoder (HeapAllocated capset' bytes') = Encoded 49 False $
  putWord32 capset' <> putWord64 bytes'
encoder (HeapSize capset' bytes') = Encoded 50 False $
  putWord32 capset' <> putWord64 bytes'
encoder (HeapLive capset' bytes') = Encoded 51 False $
  putWord32 capset' <> putWord64 bytes'
encoder (HeapInfoGhc capset' generations' maxHeapSize' allocAreaSize' mblockSize' blockSize') = Encoded 52 False $
  putWord32 capset' <> putWord16 generations' <> putWord64 maxHeapSize' <> putWord64 allocAreaSize' <> putWord64 mblockSize' <> putWord64 blockSize'
encoder (GcStatsGhc capset' generation' copied' slop' fragmentation' parThreads' parMaxCopied' parTotalCopied' (Just parBalancedCopied')) = Encoded 53 False $
  putWord32 capset' <> putWord16 generation' <> putWord64 copied' <> putWord64 slop' <> putWord64 fragmentation' <> putWord32 parThreads' <> putWord64 parMaxCopied' <> putWord64 parTotalCopied' <> putWord64 parBalancedCopied'
encoder (GcStatsGhc capset' generation' copied' slop' fragmentation' parThreads' parMaxCopied' parTotalCopied' Nothing) = Encoded 53 False $
  putWord32 capset' <> putWord16 generation' <> putWord64 copied' <> putWord64 slop' <> putWord64 fragmentation' <> putWord32 parThreads' <> putWord64 parMaxCopied' <> putWord64 parTotalCopied'
encoder (GcGlobalSync) = Encoded 54 False mempty
encoder (TaskCreate task' capNo' osThread') = Encoded 55 False $
  putWord64 task' <> putWord16 capNo' <> putWord64 osThread'
encoder (TaskMigrate task' capNo' newCap') = Encoded 56 False $
  putWord64 task' <> putWord16 capNo' <> putWord16 newCap'
encoder (TaskDelete task') = Encoded 57 False $
  putWord64 task'
encoder (UserMarker name') = Encoded 58 True $
  putText name'
encoder (HackBugT9003) = Encoded 59 False mempty
encoder (EdenStartReceive) = Encoded 60 False mempty
encoder (EdenEndReceive) = Encoded 61 False mempty
encoder (CreateProcess process') = Encoded 62 False $
  putWord32 process'
encoder (KillProcess process') = Encoded 63 False $
  putWord32 process'
encoder (AssignThreadToProcess thread' process') = Encoded 64 False $
  putWord32 thread' <> putWord32 process'
encoder (CreateMachine machine' startTime') = Encoded 65 False $
  putWord16 machine' <> putWord64 startTime'
encoder (KillMachine machine') = Encoded 66 False $
  putWord16 machine'
encoder (SendMessage tag' senderProcess' senderThread' receiverMachine' receiverProcess' receiverInport') = Encoded 67 False $
  putWord8 tag' <> putWord32 senderProcess' <> putWord32 senderThread' <> putWord16 receiverMachine' <> putWord32 receiverProcess' <> putWord32 receiverInport'
encoder (ReceiveMessage tag' receiverProcess' receiverInport' senderMachine' senderProcess' senderThread' messageSize') = Encoded 68 False $
  putWord8 tag' <> putWord32 receiverProcess' <> putWord32 receiverInport' <> putWord16 senderMachine' <> putWord32 senderProcess' <> putWord32 senderThread' <> putWord32 messageSize'
encoder (SendReceiveLocalMessage tag' senderProcess' senderThread' receiverProcess' receiverInport') = Encoded 69 False $
  putWord8 tag' <> putWord32 senderProcess' <> putWord32 senderThread' <> putWord32 receiverProcess' <> putWord32 receiverInport'
encoder (MemReturn capset' current' needed' returned') = Encoded 90 False $
  putWord32 capset' <> putWord32 current' <> putWord32 needed' <> putWord32 returned'
encoder (BlocksSize capset' bytes') = Encoded 91 False $
  putWord32 capset' <> putWord64 bytes'
encoder (MerStartParConjunction dynId' staticId') = Encoded 100 False $
  putWord64 dynId' <> putWord32 staticId'
encoder (MerStopParConjunction dynId') = Encoded 101 False $
  putWord64 dynId'
encoder (MerStopParConjunct dynId') = Encoded 102 False $
  putWord64 dynId'
encoder (MerCreateSpark dynId' sparkId') = Encoded 103 False $
  putWord64 dynId' <> putWord32 sparkId'
encoder (MerFutCreate futureId' nameId') = Encoded 104 False $
  putWord64 futureId' <> putWord32 nameId'
encoder (MerFutWaitNosuspend futureId') = Encoded 105 False $
  putWord64 futureId'
encoder (MerFutWaitSuspended futureId') = Encoded 106 False $
  putWord64 futureId'
encoder (MerFutSignal futureId') = Encoded 107 False $
  putWord64 futureId'
encoder (MerLookingForGlobalContext) = Encoded 108 False mempty
encoder (MerWorkStealing) = Encoded 109 False mempty
encoder (MerReleaseContext thread') = Encoded 110 False $
  putWord32 thread'
encoder (MerEngineSleeping) = Encoded 111 False mempty
encoder (MerLookingForLocalSpark) = Encoded 112 False mempty
encoder (MerCallingMain) = Encoded 113 False mempty
encoder (PerfName perfNum' name') = Encoded 140 True $
  putWord32 perfNum' <> putText name'
encoder (PerfCounter perfNum' osThread' period') = Encoded 141 False $
  putWord32 perfNum' <> putWord64 osThread' <> putWord64 period'
encoder (PerfTracepoint perfNum' osThread') = Encoded 142 False $
  putWord32 perfNum' <> putWord64 osThread'
encoder (HeapProfBegin profile' heapProfBeginPeriod' breakdown' moduleFilter' closureDescriptionFilter' typeDescriptionFilter' costCentreFilter' costCentreStackFilter' retainerFilter' biographyFilter') = Encoded 160 True $
  putWord8 profile' <> putWord64 heapProfBeginPeriod' <> putWord32 breakdown' <> putString moduleFilter' <> putString closureDescriptionFilter' <> putString typeDescriptionFilter' <> putString costCentreFilter' <> putString costCentreStackFilter' <> putString retainerFilter' <> putString biographyFilter'
encoder (HeapProfCostCentre costCentre' label' module_' location' flags') = Encoded 161 True $
  putWord32 costCentre' <> putString label' <> putString module_' <> putString location' <> putWord8 flags'
encoder (HeapProfSampleBegin era') = Encoded 162 False $
  putWord64 era'
encoder (HeapProfSampleCostCentre profile' residency' stack') = Encoded 163 True $
  putWord8 profile' <> putWord64 residency' <> putWord32s stack'
encoder (HeapProfSampleString profile' residency' label') = Encoded 164 True $
  putWord8 profile' <> putWord64 residency' <> putString label'
encoder (HeapProfSampleEnd era') = Encoded 165 False $
  putWord64 era'
encoder (HeapBioProfSampleBegin era' sampleTime') = Encoded 166 False $
  putWord64 era' <> putWord64 sampleTime'
encoder (ProfSampleCostCentre capNo' tick' stack') = Encoded 167 True $
  putWord32 capNo' <> putWord64 tick' <> putWord32s stack'
encoder (ProfBegin tickInterval') = Encoded 168 False $
  putWord64 tickInterval'
encoder (Ipe ipeInfo' tableName' closureDescription' typeDescription' label' module_' location') = Encoded 169 True $
  putWord64 ipeInfo' <> putString tableName' <> putString closureDescription' <> putString typeDescription' <> putString label' <> putString module_' <> putString location'
encoder (UserBinaryMsg userBinaryMsgMessage') = Encoded 181 True $
  putBytes userBinaryMsgMessage'
encoder (ConcMarkBegin) = Encoded 200 False mempty
encoder (ConcMarkEnd objects') = Encoded 201 False $
  putWord32 objects'
encoder (ConcSyncBegin) = Encoded 202 False mempty
encoder (ConcSyncEnd) = Encoded 203 False mempty
encoder (ConcSweepBegin) = Encoded 204 False mempty
encoder (ConcSweepEnd) = Encoded 205 False mempty
encoder (ConcUpdRemSetFlush capNo') = Encoded 206 False $
  putWord16 capNo'
encoder (NonmovingHeapCensus Nothing activeSegments' filledSegments' liveBlocks' (Just nonmovingHeapCensusBlockSize')) = Encoded 207 False $
  putWord16 nonmovingHeapCensusBlockSize' <> putWord32 activeSegments' <> putWord32 filledSegments' <> putWord32 liveBlocks'
encoder (NonmovingHeapCensus (Just logBlockSize') activeSegments' filledSegments' liveBlocks' Nothing) = Encoded 207 False $
  putWord8 logBlockSize' <> putWord32 activeSegments' <> putWord32 filledSegments' <> putWord32 liveBlocks'
encoder (NonmovingHeapCensus logBlockSize' activeSegments' filledSegments' liveBlocks' _) = Encoded 207 False $
  putWord8 $? logBlockSize' <> putWord32 activeSegments' <> putWord32 filledSegments' <> putWord32 liveBlocks'
encoder (NonmovingPrunedSegments pruned' free') = Encoded 208 False $
  putWord32 pruned' <> putWord32 free'
encoder (TickyCounterDef counter' arity' kinds' name' infoTable' json') = Encoded 210 True $
  putWord64 counter' <> putWord16 arity' <> putString kinds' <> putString name' <> foldMap putWord64 infoTable' <> foldMap putString json'
encoder (TickyCounterSample counter' entries' allocs' allocd') = Encoded 211 False $
  putWord64 counter' <> putWord64 entries' <> putWord64 allocs' <> putWord64 allocd'
encoder (TickyBeginSample) = Encoded 212 False mempty
encoder (Sync number' capNo' fields') = Encoded 1999 True $
  putWord16 number' <> putWord16 capNo' <> putBytes fields'

-- | The number of the event in a log.
payloadNumber :: Payload -> Word16
payloadNumber (Unknown number' _) = number'
payloadNumber CreateThread{} = 0
payloadNumber RunThread{} = 1
payloadNumber StopThread{} = 2
payloadNumber ThreadRunnable{} = 3
payloadNumber MigrateThread{} = 4
payloadNumber RunSpark{} = 5
payloadNumber StealSpark{} = 6
payloadNumber Shutdown{} = 7
payloadNumber ThreadWakeup{} = 8
payloadNumber GcStart{} = 9
payloadNumber GcEnd{} = 10
payloadNumber RequestSeqGc{} = 11
payloadNumber RequestParGc{} = 12
payloadNumber CreateSpark{} = 13
payloadNumber SparkToThread{} = 14
payloadNumber CreateSparkThread{} = 15
payloadNumber LogMsg{} = 16
payloadNumber Startup{} = 17
payloadNumber BlockMarker{} = 18
payloadNumber UserMsg{} = 19
payloadNumber GcIdle{} = 20
payloadNumber GcWork{} = 21
payloadNumber GcDone{} = 22
payloadNumber Version{} = 23
payloadNumber ProgramInvocation{} = 24
payloadNumber CapsetCreate{} = 25
payloadNumber CapsetDelete{} = 26
payloadNumber CapsetAssignCap{} = 27
payloadNumber CapsetRemoveCap{} = 28
payloadNumber RtsIdentifier{} = 29
payloadNumber ProgramArgs{} = 30
payloadNumber ProgramEnv{} = 31
payloadNumber OsprocessPid{} = 32
payloadNumber OsprocessPpid{} = 33
payloadNumber SparkCounters{} = 34
payloadNumber SparkCreate{} = 35
payloadNumber SparkDud{} = 36
payloadNumber SparkOverflow{} = 37
payloadNumber SparkRun{} = 38
payloadNumber SparkSteal{} = 39
payloadNumber SparkFizzle{} = 40
payloadNumber SparkGc{} = 41
payloadNumber InternString{} = 42
payloadNumber WallClockTime{} = 43
payloadNumber ThreadLabel{} = 44
payloadNumber CapCreate{} = 45
payloadNumber CapDelete{} = 46
payloadNumber CapDisable{} = 47
payloadNumber CapEnable{} = 48
payloadNumber HeapAllocated{} = 49
payloadNumber HeapSize{} = 50
payloadNumber HeapLive{} = 51
payloadNumber HeapInfoGhc{} = 52
payloadNumber GcStatsGhc{} = 53
payloadNumber GcGlobalSync{} = 54
payloadNumber TaskCreate{} = 55
payloadNumber TaskMigrate{} = 56
payloadNumber TaskDelete{} = 57
payloadNumber UserMarker{} = 58
payloadNumber HackBugT9003{} = 59
payloadNumber EdenStartReceive{} = 60
payloadNumber EdenEndReceive{} = 61
payloadNumber CreateProcess{} = 62
payloadNumber KillProcess{} = 63
payloadNumber AssignThreadToProcess{} = 64
payloadNumber CreateMachine{} = 65
payloadNumber KillMachine{} = 66
payloadNumber SendMessage{} = 67
payloadNumber ReceiveMessage{} = 68
payloadNumber SendReceiveLocalMessage{} = 69
payloadNumber MemReturn{} = 90
payloadNumber BlocksSize{} = 91
payloadNumber MerStartParConjunction{} = 100
payloadNumber MerStopParConjunction{} = 101
payloadNumber MerStopParConjunct{} = 102
payloadNumber MerCreateSpark{} = 103
payloadNumber MerFutCreate{} = 104
payloadNumber MerFutWaitNosuspend{} = 105
payloadNumber MerFutWaitSuspended{} = 106
payloadNumber MerFutSignal{} = 107
payloadNumber MerLookingForGlobalContext{} = 108
payloadNumber MerWorkStealing{} = 109
payloadNumber MerReleaseContext{} = 110
payloadNumber MerEngineSleeping{} = 111
payloadNumber MerLookingForLocalSpark{} = 112
payloadNumber MerCallingMain{} = 113
payloadNumber PerfName{} = 140
payloadNumber PerfCounter{} = 141
payloadNumber PerfTracepoint{} = 142
payloadNumber HeapProfBegin{} = 160
payloadNumber HeapProfCostCentre{} = 161
payloadNumber HeapProfSampleBegin{} = 162
payloadNumber HeapProfSampleCostCentre{} = 163
payloadNumber HeapProfSampleString{} = 164
payloadNumber HeapProfSampleEnd{} = 165
payloadNumber HeapBioProfSampleBegin{} = 166
payloadNumber ProfSampleCostCentre{} = 167
payloadNumber ProfBegin{} = 168
payloadNumber Ipe{} = 169
payloadNumber UserBinaryMsg{} = 181
payloadNumber ConcMarkBegin{} = 200
payloadNumber ConcMarkEnd{} = 201
payloadNumber ConcSyncBegin{} = 202
payloadNumber ConcSyncEnd{} = 203
payloadNumber ConcSweepBegin{} = 204
payloadNumber ConcSweepEnd{} = 205
payloadNumber ConcUpdRemSetFlush{} = 206
payloadNumber NonmovingHeapCensus{} = 207
payloadNumber NonmovingPrunedSegments{} = 208
payloadNumber TickyCounterDef{} = 210
payloadNumber TickyCounterSample{} = 211
payloadNumber TickyBeginSample{} = 212
payloadNumber Sync{} = 1999

-- | The name of the event in the catalogue: @eventName 9 == Just \"GC_START\"@.
eventName :: Word16 -> Maybe Text
eventName 0 = Just "CREATE_THREAD"
eventName 1 = Just "RUN_THREAD"
eventName 2 = Just "STOP_THREAD"
eventName 3 = Just "THREAD_RUNNABLE"
eventName 4 = Just "MIGRATE_THREAD"
eventName 5 = Just "RUN_SPARK"
eventName 6 = Just "STEAL_SPARK"
eventName 7 = Just "SHUTDOWN"
eventName 8 = Just "THREAD_WAKEUP"
eventName 9 = Just "GC_START"
eventName 10 = Just "GC_END"
eventName 11 = Just "REQUEST_SEQ_GC"
eventName 12 = Just "REQUEST_PAR_GC"
eventName 13 = Just "CREATE_SPARK"
eventName 14 = Just "SPARK_TO_THREAD"
eventName 15 = Just "CREATE_SPARK_THREAD"
eventName 16 = Just "LOG_MSG"
eventName 17 = Just "STARTUP"
eventName 18 = Just "BLOCK_MARKER"
eventName 19 = Just "USER_MSG"
eventName 20 = Just "GC_IDLE"
eventName 21 = Just "GC_WORK"
eventName 22 = Just "GC_DONE"
eventName 23 = Just "VERSION"
eventName 24 = Just "PROGRAM_INVOCATION"
eventName 25 = Just "CAPSET_CREATE"
eventName 26 = Just "CAPSET_DELETE"
eventName 27 = Just "CAPSET_ASSIGN_CAP"
eventName 28 = Just "CAPSET_REMOVE_CAP"
eventName 29 = Just "RTS_IDENTIFIER"
eventName 30 = Just "PROGRAM_ARGS"
eventName 31 = Just "PROGRAM_ENV"
eventName 32 = Just "OSPROCESS_PID"
eventName 33 = Just "OSPROCESS_PPID"
eventName 34 = Just "SPARK_COUNTERS"
eventName 35 = Just "SPARK_CREATE"
eventName 36 = Just "SPARK_DUD"
eventName 37 = Just "SPARK_OVERFLOW"
eventName 38 = Just "SPARK_RUN"
eventName 39 = Just "SPARK_STEAL"
eventName 40 = Just "SPARK_FIZZLE"
eventName 41 = Just "SPARK_GC"
eventName 42 = Just "INTERN_STRING"
eventName 43 = Just "WALL_CLOCK_TIME"
eventName 44 = Just "THREAD_LABEL"
eventName 45 = Just "CAP_CREATE"
eventName 46 = Just "CAP_DELETE"
eventName 47 = Just "CAP_DISABLE"
eventName 48 = Just "CAP_ENABLE"
eventName 49 = Just "HEAP_ALLOCATED"
eventName 50 = Just "HEAP_SIZE"
eventName 51 = Just "HEAP_LIVE"
eventName 52 = Just "HEAP_INFO_GHC"
eventName 53 = Just "GC_STATS_GHC"
eventName 54 = Just "GC_GLOBAL_SYNC"
eventName 55 = Just "TASK_CREATE"
eventName 56 = Just "TASK_MIGRATE"
eventName 57 = Just "TASK_DELETE"
eventName 58 = Just "USER_MARKER"
eventName 59 = Just "HACK_BUG_T9003"
eventName 60 = Just "EDEN_START_RECEIVE"
eventName 61 = Just "EDEN_END_RECEIVE"
eventName 62 = Just "CREATE_PROCESS"
eventName 63 = Just "KILL_PROCESS"
eventName 64 = Just "ASSIGN_THREAD_TO_PROCESS"
eventName 65 = Just "CREATE_MACHINE"
eventName 66 = Just "KILL_MACHINE"
eventName 67 = Just "SEND_MESSAGE"
eventName 68 = Just "RECEIVE_MESSAGE"
eventName 69 = Just "SEND_RECEIVE_LOCAL_MESSAGE"
eventName 90 = Just "MEM_RETURN"
eventName 91 = Just "BLOCKS_SIZE"
eventName 100 = Just "MER_START_PAR_CONJUNCTION"
eventName 101 = Just "MER_STOP_PAR_CONJUNCTION"
eventName 102 = Just "MER_STOP_PAR_CONJUNCT"
eventName 103 = Just "MER_CREATE_SPARK"
eventName 104 = Just "MER_FUT_CREATE"
eventName 105 = Just "MER_FUT_WAIT_NOSUSPEND"
eventName 106 = Just "MER_FUT_WAIT_SUSPENDED"
eventName 107 = Just "MER_FUT_SIGNAL"
eventName 108 = Just "MER_LOOKING_FOR_GLOBAL_CONTEXT"
eventName 109 = Just "MER_WORK_STEALING"
eventName 110 = Just "MER_RELEASE_CONTEXT"
eventName 111 = Just "MER_ENGINE_SLEEPING"
eventName 112 = Just "MER_LOOKING_FOR_LOCAL_SPARK"
eventName 113 = Just "MER_CALLING_MAIN"
eventName 140 = Just "PERF_NAME"
eventName 141 = Just "PERF_COUNTER"
eventName 142 = Just "PERF_TRACEPOINT"
eventName 160 = Just "HEAP_PROF_BEGIN"
eventName 161 = Just "HEAP_PROF_COST_CENTRE"
eventName 162 = Just "HEAP_PROF_SAMPLE_BEGIN"
eventName 163 = Just "HEAP_PROF_SAMPLE_COST_CENTRE"
eventName 164 = Just "HEAP_PROF_SAMPLE_STRING"
eventName 165 = Just "HEAP_PROF_SAMPLE_END"
eventName 166 = Just "HEAP_BIO_PROF_SAMPLE_BEGIN"
eventName 167 = Just "PROF_SAMPLE_COST_CENTRE"
eventName 168 = Just "PROF_BEGIN"
eventName 169 = Just "IPE"
eventName 181 = Just "USER_BINARY_MSG"
eventName 200 = Just "CONC_MARK_BEGIN"
eventName 201 = Just "CONC_MARK_END"
eventName 202 = Just "CONC_SYNC_BEGIN"
eventName 203 = Just "CONC_SYNC_END"
eventName 204 = Just "CONC_SWEEP_BEGIN"
eventName 205 = Just "CONC_SWEEP_END"
eventName 206 = Just "CONC_UPD_REM_SET_FLUSH"
eventName 207 = Just "NONMOVING_HEAP_CENSUS"
eventName 208 = Just "NONMOVING_PRUNED_SEGMENTS"
eventName 210 = Just "TICKY_COUNTER_DEF"
eventName 211 = Just "TICKY_COUNTER_SAMPLE"
eventName 212 = Just "TICKY_BEGIN_SAMPLE"
eventName 1999 = Just "SYNC"
eventName _ = Nothing
