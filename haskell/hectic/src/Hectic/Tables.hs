{-# LANGUAGE OverloadedStrings #-}

-- | What hectic computes from logs, as tables: those of the verbs of the command and of
-- @hectic sql@. Made from the catalogue of tables.
--
-- > pauses :: Log -> IO [Nanoseconds]
-- > pauses eventlog = mapMaybe gcPauseNs <$> tableRows wholeLog eventlog
--
-- A column is 'Nothing' if the log does not say it.
module Hectic.Tables
  ( -- * Reading tables
    module Hectic.Internal.Table
    -- * The tables
  , module Hectic.Tables
  ) where

import Data.Text (Text)
import Data.Word (Word64)

import Hectic.Internal.Table
import Hectic.Payload (Bytes, Nanoseconds)

-- | The table @runs@: The runs of a program that a log has, and how much of each it has
data RunsRow = RunsRow
  { runsSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , runsProgram :: !(Maybe Text)
  -- ^ the name with which it was started
  , runsRuntime :: !(Maybe Text)
  -- ^ the runtime, with its version
  , runsPid :: !(Maybe Word64)
  -- ^ the process id
  , runsClockStartNs :: !(Maybe Word64)
  -- ^ the time at which the clock of the section was 0, in nanoseconds since 1970
  , runsFirstNs :: !(Maybe Nanoseconds)
  -- ^ the time of its first event
  , runsLastNs :: !(Maybe Nanoseconds)
  -- ^ the time of its last event
  , runsCoveredToNs :: !(Maybe Nanoseconds)
  -- ^ up to then it has the events of all caps
  , runsIsComplete :: !(Maybe Bool)
  -- ^ it has an end marker
  , runsEvents :: !(Maybe Word64)
  -- ^ its events, with block markers
  , runsCaps :: !(Maybe Word64)
  -- ^ caps that were created in it
  }
  deriving (Eq, Show)

instance TableRow RunsRow where
  tableName _ = "runs"
  columnNames _ =
    [ "section"
    , "program"
    , "runtime"
    , "pid"
    , "clock_start_ns"
    , "first_ns"
    , "last_ns"
    , "covered_to_ns"
    , "is_complete"
    , "events"
    , "caps"
    ]
  rowOf cell = RunsRow
    <$> numberOf (cell 0)
    <*> textOf (cell 1)
    <*> textOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> flagOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)

-- | The table @threads@: Haskell threads, and where their time went
data ThreadsRow = ThreadsRow
  { threadsSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , threadsProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , threadsPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , threadsThread :: !(Maybe Word64)
  -- ^ the thread\'s number
  , threadsLabel :: !(Maybe Text)
  -- ^ its last label before it ended
  , threadsKind :: !(Maybe Text)
  -- ^ @program@; @runtime@ for the runtime\'s own threads (I/O and timer managers, finalizers), recognized by their labels. In text these have a table of their own
  , threadsBornNs :: !(Maybe Nanoseconds)
  -- ^ when it was created, not clipped; unknown if not recorded
  , threadsEndedNs :: !(Maybe Nanoseconds)
  -- ^ when it ended, not clipped; unknown if not recorded
  , threadsLifetimeNs :: !(Maybe Nanoseconds)
  -- ^ the sum of the durations below; unknown if the thread existed before the log
  , threadsRunningNs :: !(Maybe Nanoseconds)
  -- ^ running on a cap
  , threadsRunnableNs :: !(Maybe Nanoseconds)
  -- ^ waiting for a cap; also while the heap was collected after the thread\'s heap overflow
  , threadsMvarNs :: !(Maybe Nanoseconds)
  -- ^ blocked in @takeMVar@ or @putMVar@
  , threadsMvarReadNs :: !(Maybe Nanoseconds)
  -- ^ blocked in @readMVar@
  , threadsStmNs :: !(Maybe Nanoseconds)
  -- ^ blocked in @retry@
  , threadsBlackHoleNs :: !(Maybe Nanoseconds)
  -- ^ blocked on a value that another thread evaluates
  , threadsDelayNs :: !(Maybe Nanoseconds)
  -- ^ in @threadDelay@; only with the non-threaded runtime, in others a wait for MVars or STM
  , threadsIoNs :: !(Maybe Nanoseconds)
  -- ^ waiting for a descriptor; only with the non-threaded runtime, as @delay_ns@
  , threadsForeignCallNs :: !(Maybe Nanoseconds)
  -- ^ in a safe foreign call, or waiting for a cap after it
  , threadsThrowToNs :: !(Maybe Nanoseconds)
  -- ^ blocked in @throwTo@
  , threadsOtherNs :: !(Maybe Nanoseconds)
  -- ^ blocked for a reason that the log does not name
  , threadsUnknownNs :: !(Maybe Nanoseconds)
  -- ^ not recorded, or contradictory
  , threadsRuns :: !(Maybe Word64)
  -- ^ how often it was run
  , threadsMigrations :: !(Maybe Word64)
  -- ^ how often it changed its cap
  , threadsCaps :: !(Maybe Word64)
  -- ^ on how many caps it ran
  , threadsSparkThread :: !(Maybe Bool)
  -- ^ it was created to evaluate sparks
  }
  deriving (Eq, Show)

instance TableRow ThreadsRow where
  tableName _ = "threads"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "thread"
    , "label"
    , "kind"
    , "born_ns"
    , "ended_ns"
    , "lifetime_ns"
    , "running_ns"
    , "runnable_ns"
    , "mvar_ns"
    , "mvar_read_ns"
    , "stm_ns"
    , "black_hole_ns"
    , "delay_ns"
    , "io_ns"
    , "foreign_call_ns"
    , "throw_to_ns"
    , "other_ns"
    , "unknown_ns"
    , "runs"
    , "migrations"
    , "caps"
    , "spark_thread"
    ]
  rowOf cell = ThreadsRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> textOf (cell 4)
    <*> textOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> numberOf (cell 19)
    <*> numberOf (cell 20)
    <*> numberOf (cell 21)
    <*> numberOf (cell 22)
    <*> numberOf (cell 23)
    <*> flagOf (cell 24)

-- | The table @thread_states@: What each thread did, one interval after the other
data ThreadStatesRow = ThreadStatesRow
  { threadStatesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , threadStatesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , threadStatesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , threadStatesThread :: !(Maybe Word64)
  -- ^ the thread\'s number
  , threadStatesState :: !(Maybe Text)
  -- ^ @running@, @runnable@, @blocked@, or @unknown@
  , threadStatesReason :: !(Maybe Text)
  -- ^ why it was blocked: @mvar@, @mvar_read@, @stm@, @black_hole@, @delay@, @io@, @foreign_call@, @throw_to@, @other@
  , threadStatesStartNs :: !(Maybe Nanoseconds)
  -- ^ when the state began
  , threadStatesEndNs :: !(Maybe Nanoseconds)
  -- ^ when it ended; unknown if the log ended before
  , threadStatesDurationNs :: !(Maybe Nanoseconds)
  -- ^ the time between, or until the log ended
  , threadStatesCap :: !(Maybe Word64)
  -- ^ the cap on which it ran, or had run last
  , threadStatesWaker :: !(Maybe Word64)
  -- ^ the thread that ended the wait
  , threadStatesOwner :: !(Maybe Word64)
  -- ^ with @black_hole@: the thread that evaluates the value
  }
  deriving (Eq, Show)

instance TableRow ThreadStatesRow where
  tableName _ = "thread_states"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "thread"
    , "state"
    , "reason"
    , "start_ns"
    , "end_ns"
    , "duration_ns"
    , "cap"
    , "waker"
    , "owner"
    ]
  rowOf cell = ThreadStatesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> textOf (cell 4)
    <*> textOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)

-- | The table @messages@: The messages and markers of the program and of its runtime
data MessagesRow = MessagesRow
  { messagesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , messagesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , messagesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , messagesTimeNs :: !(Maybe Nanoseconds)
  -- ^ when it was written
  , messagesCap :: !(Maybe Word64)
  -- ^ where; unknown for messages of no cap
  , messagesThread :: !(Maybe Word64)
  -- ^ the thread that ran there
  , messagesKind :: !(Maybe Text)
  -- ^ @message@, @marker@, or @runtime@ for a message of the runtime
  , messagesText :: !(Maybe Text)
  -- ^ its text
  }
  deriving (Eq, Show)

instance TableRow MessagesRow where
  tableName _ = "messages"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "time_ns"
    , "cap"
    , "thread"
    , "kind"
    , "text"
    ]
  rowOf cell = MessagesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> textOf (cell 6)
    <*> textOf (cell 7)

-- | The table @gaps_each@: Where a log lacks events
data GapsEachRow = GapsEachRow
  { gapsEachSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , gapsEachProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , gapsEachPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , gapsEachKind :: !(Maybe Text)
  -- ^ @dropped@, because a buffer was full; @lost@, because bytes were damaged; @off@, switched off; @cut@: the log has no end marker
  , gapsEachStartNs :: !(Maybe Nanoseconds)
  -- ^ when it began; unknown of @dropped@ and @lost@. @cut@: the log has the events of all caps until then
  , gapsEachEndNs :: !(Maybe Nanoseconds)
  -- ^ when it ended; unknown if it did not
  , gapsEachClass :: !(Maybe Text)
  -- ^ of @off@: the class of events, or @all@
  , gapsEachEvents :: !(Maybe Word64)
  -- ^ of @dropped@: how many
  , gapsEachBytes :: !(Maybe Bytes)
  -- ^ of @lost@: how many
  }
  deriving (Eq, Show)

instance TableRow GapsEachRow where
  tableName _ = "gaps_each"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "kind"
    , "start_ns"
    , "end_ns"
    , "class"
    , "events"
    , "bytes"
    ]
  rowOf cell = GapsEachRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> textOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)

-- | The table @findings@: The findings of the verdict on each run, whole: at most five, the most important first
data FindingsRow = FindingsRow
  { findingsSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , findingsProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , findingsPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , findingsId :: !(Maybe Text)
  -- ^ the rule
  , findingsValue :: !(Maybe Double)
  -- ^ the measured number
  , findingsUnit :: !(Maybe Text)
  -- ^ its unit: @share@, @ns@, @bytes@, @threads@, @events@
  , findingsImportance :: !(Maybe Double)
  -- ^ how much of the run it concerns
  , findingsText :: !(Maybe Text)
  -- ^ the sentence
  , findingsCommand :: !(Maybe Text)
  -- ^ the next command; its last word, @LOG@, stands for the log. Unknown if it needs a log of one process
  }
  deriving (Eq, Show)

instance TableRow FindingsRow where
  tableName _ = "findings"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "id"
    , "value"
    , "unit"
    , "importance"
    , "text"
    , "command"
    ]
  rowOf cell = FindingsRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> realOf (cell 4)
    <*> textOf (cell 5)
    <*> realOf (cell 6)
    <*> textOf (cell 7)
    <*> textOf (cell 8)

-- | The table @rules@: The rules of the verdict on each run, whole, and whether they apply
data RulesRow = RulesRow
  { rulesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , rulesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , rulesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , rulesId :: !(Maybe Text)
  -- ^ the rule
  , rulesCount :: !(Maybe Word64)
  -- ^ 1: it applies, even if it is not among the findings; 0: it does not; unknown: the log lacks what it measures, or too much of the run
  }
  deriving (Eq, Show)

instance TableRow RulesRow where
  tableName _ = "rules"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "id"
    , "count"
    ]
  rowOf cell = RulesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)

-- | The table @sizes@: Sizes of the heap, and what was allocated, as events report them
data SizesRow = SizesRow
  { sizesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , sizesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , sizesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , sizesTimeNs :: !(Maybe Nanoseconds)
  -- ^ when it was reported
  , sizesCap :: !(Maybe Word64)
  -- ^ by which cap
  , sizesKind :: !(Maybe Text)
  -- ^ @live@: after a major collection; @heap@: reserved; @blocks@: in use by the runtime; @allocated@: by the cap, since its last row of that kind
  , sizesBytes :: !(Maybe Bytes)
  -- ^ how much
  }
  deriving (Eq, Show)

instance TableRow SizesRow where
  tableName _ = "sizes"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "time_ns"
    , "cap"
    , "kind"
    , "bytes"
    ]
  rowOf cell = SizesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> textOf (cell 5)
    <*> numberOf (cell 6)

-- | The table @tasks@: The operating system\'s threads that ran the caps
data TasksRow = TasksRow
  { tasksSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , tasksProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , tasksPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , tasksTask :: !(Maybe Text)
  -- ^ the runtime\'s name (@0x…@)
  , tasksOsThread :: !(Maybe Word64)
  -- ^ the kernel\'s thread id
  , tasksCreatedNs :: !(Maybe Nanoseconds)
  -- ^ when it was created, not clipped
  , tasksDeletedNs :: !(Maybe Nanoseconds)
  -- ^ when it was deleted, not clipped
  , tasksLifetimeNs :: !(Maybe Nanoseconds)
  -- ^ the time between, inside the interval
  , tasksFirstCap :: !(Maybe Word64)
  -- ^ the first cap
  , tasksLastCap :: !(Maybe Word64)
  -- ^ the last cap
  , tasksCaps :: !(Maybe Word64)
  -- ^ how many caps
  , tasksCapList :: !(Maybe Text)
  -- ^ which caps, separated by spaces
  , tasksMigrations :: !(Maybe Word64)
  -- ^ how often it moved from one cap to another
  }
  deriving (Eq, Show)

instance TableRow TasksRow where
  tableName _ = "tasks"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "task"
    , "os_thread"
    , "created_ns"
    , "deleted_ns"
    , "lifetime_ns"
    , "first_cap"
    , "last_cap"
    , "caps"
    , "cap_list"
    , "migrations"
    ]
  rowOf cell = TasksRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> textOf (cell 11)
    <*> numberOf (cell 12)

-- | The table @gc@: Collections
data GcRow = GcRow
  { gcSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , gcProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , gcPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , gcStartNs :: !(Maybe Nanoseconds)
  -- ^ as seen by the GC leader: the cap that requested and led the collection
  , gcGeneration :: !(Maybe Word64)
  -- ^ the generation
  , gcParallel :: !(Maybe Bool)
  -- ^ whether several threads collected
  , gcCap :: !(Maybe Word64)
  -- ^ the GC leader
  , gcReason :: !(Maybe Text)
  -- ^ why it requested the collection: @heap overflow@, @request@ (performGC), @idle@, @exit@, @other@; the manual of @hectic gc@ defines them
  , gcPauseNs :: !(Maybe Nanoseconds)
  -- ^ from start to end
  , gcEndNs :: !(Maybe Nanoseconds)
  -- ^ as seen by the GC leader
  , gcMeanPauseNs :: !(Maybe Nanoseconds)
  -- ^ the mean over the caps that took part, each from its own GC_START to its own GC_END: as @hectic stat --gc-time caps@
  , gcSafepointNs :: !(Maybe Nanoseconds)
  -- ^ time to safepoint, from the request to the start
  , gcCaps :: !(Maybe Word64)
  -- ^ how many caps took part
  , gcThreads :: !(Maybe Word64)
  -- ^ how many threads collected
  , gcCopiedBytes :: !(Maybe Bytes)
  -- ^ as reported by the runtime
  , gcLiveBytes :: !(Maybe Bytes)
  -- ^ likewise; only of a major collection
  , gcSlopBytes :: !(Maybe Bytes)
  -- ^ as reported by the runtime
  , gcFragmentationBytes :: !(Maybe Bytes)
  -- ^ as reported by the runtime
  , gcHeapBeforeBytes :: !(Maybe Bytes)
  -- ^ the size of the heap before
  , gcHeapAfterBytes :: !(Maybe Bytes)
  -- ^ the size of the heap after it
  , gcWorkBalance :: !(Maybe Double)
  -- ^ of a parallel collection. 0: serial, 1: perfect
  }
  deriving (Eq, Show)

instance TableRow GcRow where
  tableName _ = "gc"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "start_ns"
    , "generation"
    , "parallel"
    , "cap"
    , "reason"
    , "pause_ns"
    , "end_ns"
    , "mean_pause_ns"
    , "safepoint_ns"
    , "caps"
    , "threads"
    , "copied_bytes"
    , "live_bytes"
    , "slop_bytes"
    , "fragmentation_bytes"
    , "heap_before_bytes"
    , "heap_after_bytes"
    , "work_balance"
    ]
  rowOf cell = GcRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> flagOf (cell 5)
    <*> numberOf (cell 6)
    <*> textOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> numberOf (cell 19)
    <*> realOf (cell 20)

-- | The table @gc_caps@: How collections stopped each cap
data GcCapsRow = GcCapsRow
  { gcCapsSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , gcCapsProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , gcCapsPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , gcCapsCap :: !(Maybe Word64)
  -- ^ the cap
  , gcCapsState :: !(Maybe Text)
  -- ^ @gc_requested@: until all caps have stopped; @gc@: from its GC_START to its GC_END; @gc_wait@: within that, waiting for the others at its beginning and its end
  , gcCapsStartNs :: !(Maybe Nanoseconds)
  -- ^ when it began
  , gcCapsEndNs :: !(Maybe Nanoseconds)
  -- ^ when it ended, or the log
  , gcCapsDurationNs :: !(Maybe Nanoseconds)
  -- ^ the time between
  }
  deriving (Eq, Show)

instance TableRow GcCapsRow where
  tableName _ = "gc_caps"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "cap"
    , "state"
    , "start_ns"
    , "end_ns"
    , "duration_ns"
    ]
  rowOf cell = GcCapsRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> textOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)

-- | The table @utilization@: The share of time that the program could run in the worst window
data UtilizationRow = UtilizationRow
  { utilizationSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , utilizationProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , utilizationPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , utilizationWindow :: !(Maybe Text)
  -- ^ the length of the windows, as text: @1ms@, @10ms@, @100ms@, @1s@
  , utilizationWindowNs :: !(Maybe Nanoseconds)
  -- ^ the same
  , utilizationMinimum :: !(Maybe Double)
  -- ^ of all windows of that length (minimum mutator utilization): the part of it in which no collection stopped the program. Unknown without collections, and if less time is recorded
  }
  deriving (Eq, Show)

instance TableRow UtilizationRow where
  tableName _ = "utilization"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "window"
    , "window_ns"
    , "minimum"
    ]
  rowOf cell = UtilizationRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> realOf (cell 5)

-- | The table @spans@: Spans by label, and markers by name
data SpansRow = SpansRow
  { spansSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , spansProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , spansPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , spansKind :: !(Maybe Text)
  -- ^ @span@, or @marker@
  , spansLabel :: !(Maybe Text)
  -- ^ the label, or the marker\'s name
  , spansCount :: !(Maybe Word64)
  -- ^ spans that ended, or markers
  , spansTotalNs :: !(Maybe Nanoseconds)
  -- ^ time in all spans of the label, nested ones added; unknown for markers
  , spansOpenNs :: !(Maybe Nanoseconds)
  -- ^ time in which at least one was open
  , spansNoGcNs :: !(Maybe Nanoseconds)
  -- ^ the part of it in which no cap was between its GC_START and GC_END; unknown if there has been no collection until the end of the interval
  , spansMeanNs :: !(Maybe Nanoseconds)
  -- ^ of the whole durations of spans that ended; for markers, of the times between consecutive ones. Likewise the percentiles and the maximum
  , spansP50Ns :: !(Maybe Nanoseconds)
  -- ^ half of them are not longer
  , spansP90Ns :: !(Maybe Nanoseconds)
  -- ^ 90 % are not longer
  , spansP99Ns :: !(Maybe Nanoseconds)
  -- ^ 99 % are not longer
  , spansMaxNs :: !(Maybe Nanoseconds)
  -- ^ the longest
  , spansFirstNs :: !(Maybe Nanoseconds)
  -- ^ time of the first event
  , spansLastNs :: !(Maybe Nanoseconds)
  -- ^ time of the last event
  , spansUnstarted :: !(Maybe Word64)
  -- ^ STOPs without START
  , spansUnstopped :: !(Maybe Word64)
  -- ^ STARTs without STOP
  , spansAcross :: !(Maybe Word64)
  -- ^ the part of @count@ that one thread (or owner, see below) started and another one stopped
  }
  deriving (Eq, Show)

instance TableRow SpansRow where
  tableName _ = "spans"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "kind"
    , "label"
    , "count"
    , "total_ns"
    , "open_ns"
    , "no_gc_ns"
    , "mean_ns"
    , "p50_ns"
    , "p90_ns"
    , "p99_ns"
    , "max_ns"
    , "first_ns"
    , "last_ns"
    , "unstarted"
    , "unstopped"
    , "across"
    ]
  rowOf cell = SpansRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> textOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)

-- | The table @spans_each@: Each span that ended in the interval
data SpansEachRow = SpansEachRow
  { spansEachSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , spansEachProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , spansEachPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , spansEachLabel :: !(Maybe Text)
  -- ^ the label
  , spansEachSubscript :: !(Maybe Word64)
  -- ^ the number before the label, or of its end; 0: none
  , spansEachStartNs :: !(Maybe Nanoseconds)
  -- ^ when it was started, not clipped
  , spansEachEndNs :: !(Maybe Nanoseconds)
  -- ^ when it was stopped
  , spansEachDurationNs :: !(Maybe Nanoseconds)
  -- ^ the time between
  , spansEachThread :: !(Maybe Word64)
  -- ^ the thread that started it; unknown for events of no cap, and if the log does not record which thread ran there
  , spansEachCap :: !(Maybe Word64)
  -- ^ where; unknown for events of no cap
  , spansEachEndThread :: !(Maybe Word64)
  -- ^ the thread that stopped it
  , spansEachEndCap :: !(Maybe Word64)
  -- ^ and where
  , spansEachAcrossThreads :: !(Maybe Bool)
  -- ^ one thread started it and another one stopped it
  }
  deriving (Eq, Show)

instance TableRow SpansEachRow where
  tableName _ = "spans_each"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "label"
    , "subscript"
    , "start_ns"
    , "end_ns"
    , "duration_ns"
    , "thread"
    , "cap"
    , "end_thread"
    , "end_cap"
    , "across_threads"
    ]
  rowOf cell = SpansEachRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> flagOf (cell 12)

-- | The table @span_states@: What the thread of each span did within it: a row for each span and state
data SpanStatesRow = SpanStatesRow
  { spanStatesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , spanStatesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , spanStatesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , spanStatesLabel :: !(Maybe Text)
  -- ^ the label of the span
  , spanStatesSubscript :: !(Maybe Word64)
  -- ^ as in spans_each
  , spanStatesStartNs :: !(Maybe Nanoseconds)
  -- ^ when it was started, not clipped
  , spanStatesEndNs :: !(Maybe Nanoseconds)
  -- ^ when it was stopped
  , spanStatesThread :: !(Maybe Word64)
  -- ^ the thread that started it
  , spanStatesState :: !(Maybe Text)
  -- ^ @running@, @runnable@, or what it was blocked on (@reason@ of thread_states); @unknown@, also if another thread stopped it; @gc@: the time, within the others, in which a cap was between its GC_START and GC_END
  , spanStatesTotalNs :: !(Maybe Nanoseconds)
  -- ^ the time in it, within the span
  }
  deriving (Eq, Show)

instance TableRow SpanStatesRow where
  tableName _ = "span_states"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "label"
    , "subscript"
    , "start_ns"
    , "end_ns"
    , "thread"
    , "state"
    , "total_ns"
    ]
  rowOf cell = SpanStatesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> textOf (cell 8)
    <*> numberOf (cell 9)

-- | The table @sparks@: Sparks by cap
data SparksRow = SparksRow
  { sparksSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , sparksProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , sparksPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , sparksFromNs :: !(Maybe Nanoseconds)
  -- ^ the slice of time, with @--every@
  , sparksToNs :: !(Maybe Nanoseconds)
  -- ^ its end
  , sparksCap :: !(Maybe Word64)
  -- ^ the cap
  , sparksSparks :: !(Maybe Word64)
  -- ^ all sparks made there, as @+RTS -s@ and @stat@ count them: created, overflowed and dud
  , sparksCreated :: !(Maybe Word64)
  -- ^ put into its pool
  , sparksConverted :: !(Maybe Word64)
  -- ^ evaluated by this cap
  , sparksOverflowed :: !(Maybe Word64)
  -- ^ discarded because the pool was full
  , sparksDud :: !(Maybe Word64)
  -- ^ already evaluated
  , sparksGcd :: !(Maybe Word64)
  -- ^ discarded by the garbage collector (the last collection of a program discards what is left in the pools: counted if the log has counters, too)
  , sparksFizzled :: !(Maybe Word64)
  -- ^ already evaluated when their turn came
  , sparksRun :: !(Maybe Word64)
  -- ^ of those converted, from its own pool
  , sparksStolen :: !(Maybe Word64)
  -- ^ of those converted, from the pools of others
  , sparksLost :: !(Maybe Word64)
  -- ^ evaluated by other caps from its pool
  , sparksPool :: !(Maybe Word64)
  -- ^ sparks in the pool at the end
  , sparksPoolMax :: !(Maybe Word64)
  -- ^ the maximum in the pool
  , sparksWaitNs :: !(Maybe Nanoseconds)
  -- ^ mean time in the pool of those that left it
  , sparksEvalNs :: !(Maybe Nanoseconds)
  -- ^ time in which the cap evaluated sparks
  }
  deriving (Eq, Show)

instance TableRow SparksRow where
  tableName _ = "sparks"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "from_ns"
    , "to_ns"
    , "cap"
    , "sparks"
    , "created"
    , "converted"
    , "overflowed"
    , "dud"
    , "gcd"
    , "fizzled"
    , "run"
    , "stolen"
    , "lost"
    , "pool"
    , "pool_max"
    , "wait_ns"
    , "eval_ns"
    ]
  rowOf cell = SparksRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> numberOf (cell 19)

-- | The table @sparks_each@: Each spark that was evaluated
data SparksEachRow = SparksEachRow
  { sparksEachSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , sparksEachProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , sparksEachPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , sparksEachStartNs :: !(Maybe Nanoseconds)
  -- ^ when its evaluation began
  , sparksEachEndNs :: !(Maybe Nanoseconds)
  -- ^ when it ended
  , sparksEachDurationNs :: !(Maybe Nanoseconds)
  -- ^ the time between
  , sparksEachIdleNs :: !(Maybe Nanoseconds)
  -- ^ how long its thread did not run in that time
  , sparksEachEvalNs :: !(Maybe Nanoseconds)
  -- ^ the rest
  , sparksEachThread :: !(Maybe Word64)
  -- ^ the thread that evaluated it
  , sparksEachCap :: !(Maybe Word64)
  -- ^ the cap that evaluated it
  , sparksEachFromCap :: !(Maybe Word64)
  -- ^ the cap whose pool it came from
  }
  deriving (Eq, Show)

instance TableRow SparksEachRow where
  tableName _ = "sparks_each"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "start_ns"
    , "end_ns"
    , "duration_ns"
    , "idle_ns"
    , "eval_ns"
    , "thread"
    , "cap"
    , "from_cap"
    ]
  rowOf cell = SparksEachRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)

-- | The table @stat@: The statistics of a section, or of one of its processes
data StatRow = StatRow
  { statSection :: !(Maybe Word64)
  -- ^ which section, counted from 1
  , statProcess :: !(Maybe Word64)
  -- ^ only in a log of several processes: the capset of the process
  , statPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , statFromNs :: !(Maybe Nanoseconds)
  -- ^ the interval
  , statToNs :: !(Maybe Nanoseconds)
  -- ^ its end
  , statThreaded :: !(Maybe Bool)
  -- ^ whether the program uses the threaded runtime
  , statMemoryAllocatedBytes :: !(Maybe Bytes)
  -- ^ allocated in the heap
  , statMemoryCopiedBytes :: !(Maybe Bytes)
  -- ^ copied by collections
  , statMemoryResidencyMaxBytes :: !(Maybe Bytes)
  -- ^ the most that was live after a major collection
  , statMemoryResidencySamples :: !(Maybe Word64)
  -- ^ how many of these there are
  , statMemoryLiveEndBytes :: !(Maybe Bytes)
  -- ^ live after the last of them, but for the one at the end of the program; of whole runs
  , statMemorySlopMaxBytes :: !(Maybe Bytes)
  -- ^ the largest slop
  , statMemoryHeapMaxBytes :: !(Maybe Bytes)
  -- ^ the largest size of the heap
  , statMemoryFragmentationMaxBytes :: !(Maybe Bytes)
  -- ^ the largest fragmentation at the end of a collection
  , statMemoryBlocksMaxBytes :: !(Maybe Bytes)
  -- ^ the most in blocks
  , statMemoryLostBytes :: !(Maybe Bytes)
  -- ^ lost to fragmentation
  , statMemoryReturnedBytes :: !(Maybe Bytes)
  -- ^ returned to the system
  , statTimeInitNs :: !(Maybe Nanoseconds)
  -- ^ INIT
  , statTimeMutatorNs :: !(Maybe Nanoseconds)
  -- ^ MUT: outside of collections
  , statTimeGcNs :: !(Maybe Nanoseconds)
  -- ^ GC: in collections, as @--gc-time@ selects
  , statTimeGcMainNs :: !(Maybe Nanoseconds)
  -- ^ in collections, as the GC leader sees them
  , statTimeGcCapsNs :: !(Maybe Nanoseconds)
  -- ^ in collections, averaged over the caps
  , statTimeExitNs :: !(Maybe Nanoseconds)
  -- ^ EXIT
  , statTimeTotalNs :: !(Maybe Nanoseconds)
  -- ^ all
  , statTimeAllocatedBytesPerMutatorSecond :: !(Maybe Double)
  -- ^ elapsed
  , statTimeUnrecordedNs :: !(Maybe Nanoseconds)
  -- ^ OFF: no collections were recorded
  , statTimeProductivity :: !(Maybe Double)
  -- ^ the share of MUT in the recorded time
  , statGcPauseCount :: !(Maybe Word64)
  -- ^ how many
  , statGcPauseTotalNs :: !(Maybe Nanoseconds)
  -- ^ their sum
  , statGcPauseMeanNs :: !(Maybe Nanoseconds)
  -- ^ their mean
  , statGcPauseP50Ns :: !(Maybe Nanoseconds)
  -- ^ half of them are not longer
  , statGcPauseP90Ns :: !(Maybe Nanoseconds)
  -- ^ 90 % are not longer
  , statGcPauseP99Ns :: !(Maybe Nanoseconds)
  -- ^ 99 % are not longer
  , statGcPauseMaxNs :: !(Maybe Nanoseconds)
  -- ^ the longest
  , statGcTimeToSafepointCount :: !(Maybe Word64)
  -- ^ how many
  , statGcTimeToSafepointTotalNs :: !(Maybe Nanoseconds)
  -- ^ their sum
  , statGcTimeToSafepointMeanNs :: !(Maybe Nanoseconds)
  -- ^ their mean
  , statGcTimeToSafepointP50Ns :: !(Maybe Nanoseconds)
  -- ^ half of them are not longer
  , statGcTimeToSafepointP90Ns :: !(Maybe Nanoseconds)
  -- ^ 90 % are not longer
  , statGcTimeToSafepointP99Ns :: !(Maybe Nanoseconds)
  -- ^ 99 % are not longer
  , statGcTimeToSafepointMaxNs :: !(Maybe Nanoseconds)
  -- ^ the longest
  , statGcWorkNs :: !(Maybe Nanoseconds)
  -- ^ of all caps, working in collections
  , statGcIdleNs :: !(Maybe Nanoseconds)
  -- ^ of all caps, idle in collections
  , statGcIdleShare :: !(Maybe Double)
  -- ^ the share of idle time in their sum
  , statGcWorkBalance :: !(Maybe Double)
  -- ^ 0: serial, 1: perfect
  , statGcNonmovingMarks :: !(Maybe Word64)
  -- ^ concurrent marks
  , statGcNonmovingMarkNs :: !(Maybe Nanoseconds)
  -- ^ their time
  , statGcNonmovingSyncs :: !(Maybe Word64)
  -- ^ times when it stopped all caps
  , statGcNonmovingSyncNs :: !(Maybe Nanoseconds)
  -- ^ their time
  , statGcNonmovingSyncMaxNs :: !(Maybe Nanoseconds)
  -- ^ the longest of them
  , statGcNonmovingSweeps :: !(Maybe Word64)
  -- ^ concurrent sweeps
  , statGcNonmovingSweepNs :: !(Maybe Nanoseconds)
  -- ^ their time
  , statSparksSparks :: !(Maybe Word64)
  -- ^ the sum of the next three
  , statSparksCreated :: !(Maybe Word64)
  -- ^ put into a pool
  , statSparksDud :: !(Maybe Word64)
  -- ^ already evaluated
  , statSparksOverflowed :: !(Maybe Word64)
  -- ^ discarded because the pool was full
  , statSparksConverted :: !(Maybe Word64)
  -- ^ evaluated
  , statSparksGcd :: !(Maybe Word64)
  -- ^ discarded by the garbage collector
  , statSparksFizzled :: !(Maybe Word64)
  -- ^ already evaluated when their turn came
  , statTasksWorkers :: !(Maybe Word64)
  -- ^ all
  , statTasksWorkersMax :: !(Maybe Word64)
  -- ^ the maximum at one time
  , statGapsDroppedEvents :: !(Maybe Word64)
  -- ^ events that were dropped
  , statGapsDroppedPlaces :: !(Maybe Word64)
  -- ^ how many times
  , statGapsLostBytes :: !(Maybe Word64)
  -- ^ damaged bytes that were lost
  , statGapsLostPlaces :: !(Maybe Word64)
  -- ^ in how many places
  , statGapsSwitchedOff :: !(Maybe Word64)
  -- ^ how often classes of events were switched off
  , statGapsOffNs :: !(Maybe Nanoseconds)
  -- ^ for how long
  , statWarningsCountersShrunk :: !(Maybe Word64)
  -- ^ counters that became smaller
  , statWarningsTimesWentBack :: !(Maybe Word64)
  -- ^ times that went back
  }
  deriving (Eq, Show)

instance TableRow StatRow where
  tableName _ = "stat"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "from_ns"
    , "to_ns"
    , "threaded"
    , "memory.allocated_bytes"
    , "memory.copied_bytes"
    , "memory.residency_max_bytes"
    , "memory.residency_samples"
    , "memory.live_end_bytes"
    , "memory.slop_max_bytes"
    , "memory.heap_max_bytes"
    , "memory.fragmentation_max_bytes"
    , "memory.blocks_max_bytes"
    , "memory.lost_bytes"
    , "memory.returned_bytes"
    , "time.init_ns"
    , "time.mutator_ns"
    , "time.gc_ns"
    , "time.gc_main_ns"
    , "time.gc_caps_ns"
    , "time.exit_ns"
    , "time.total_ns"
    , "time.allocated_bytes_per_mutator_second"
    , "time.unrecorded_ns"
    , "time.productivity"
    , "gc.pause.count"
    , "gc.pause.total_ns"
    , "gc.pause.mean_ns"
    , "gc.pause.p50_ns"
    , "gc.pause.p90_ns"
    , "gc.pause.p99_ns"
    , "gc.pause.max_ns"
    , "gc.time_to_safepoint.count"
    , "gc.time_to_safepoint.total_ns"
    , "gc.time_to_safepoint.mean_ns"
    , "gc.time_to_safepoint.p50_ns"
    , "gc.time_to_safepoint.p90_ns"
    , "gc.time_to_safepoint.p99_ns"
    , "gc.time_to_safepoint.max_ns"
    , "gc.work_ns"
    , "gc.idle_ns"
    , "gc.idle_share"
    , "gc.work_balance"
    , "gc.nonmoving.marks"
    , "gc.nonmoving.mark_ns"
    , "gc.nonmoving.syncs"
    , "gc.nonmoving.sync_ns"
    , "gc.nonmoving.sync_max_ns"
    , "gc.nonmoving.sweeps"
    , "gc.nonmoving.sweep_ns"
    , "sparks.sparks"
    , "sparks.created"
    , "sparks.dud"
    , "sparks.overflowed"
    , "sparks.converted"
    , "sparks.gcd"
    , "sparks.fizzled"
    , "tasks.workers"
    , "tasks.workers_max"
    , "gaps.dropped_events"
    , "gaps.dropped_places"
    , "gaps.lost_bytes"
    , "gaps.lost_places"
    , "gaps.switched_off"
    , "gaps.off_ns"
    , "warnings.counters_shrunk"
    , "warnings.times_went_back"
    ]
  rowOf cell = StatRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> flagOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> numberOf (cell 19)
    <*> numberOf (cell 20)
    <*> numberOf (cell 21)
    <*> numberOf (cell 22)
    <*> numberOf (cell 23)
    <*> realOf (cell 24)
    <*> numberOf (cell 25)
    <*> realOf (cell 26)
    <*> numberOf (cell 27)
    <*> numberOf (cell 28)
    <*> numberOf (cell 29)
    <*> numberOf (cell 30)
    <*> numberOf (cell 31)
    <*> numberOf (cell 32)
    <*> numberOf (cell 33)
    <*> numberOf (cell 34)
    <*> numberOf (cell 35)
    <*> numberOf (cell 36)
    <*> numberOf (cell 37)
    <*> numberOf (cell 38)
    <*> numberOf (cell 39)
    <*> numberOf (cell 40)
    <*> numberOf (cell 41)
    <*> numberOf (cell 42)
    <*> realOf (cell 43)
    <*> realOf (cell 44)
    <*> numberOf (cell 45)
    <*> numberOf (cell 46)
    <*> numberOf (cell 47)
    <*> numberOf (cell 48)
    <*> numberOf (cell 49)
    <*> numberOf (cell 50)
    <*> numberOf (cell 51)
    <*> numberOf (cell 52)
    <*> numberOf (cell 53)
    <*> numberOf (cell 54)
    <*> numberOf (cell 55)
    <*> numberOf (cell 56)
    <*> numberOf (cell 57)
    <*> numberOf (cell 58)
    <*> numberOf (cell 59)
    <*> numberOf (cell 60)
    <*> numberOf (cell 61)
    <*> numberOf (cell 62)
    <*> numberOf (cell 63)
    <*> numberOf (cell 64)
    <*> numberOf (cell 65)
    <*> numberOf (cell 66)
    <*> numberOf (cell 67)
    <*> numberOf (cell 68)

-- | The table @stat_cap@: A cap
data StatCapRow = StatCapRow
  { statCapSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , statCapProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , statCapPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , statCapCap :: !(Maybe Word64)
  -- ^ its number
  , statCapPresentNs :: !(Maybe Nanoseconds)
  -- ^ the time in which it existed: the sum of running, GC, GC wait, unknown and idle
  , statCapRunningNs :: !(Maybe Nanoseconds)
  -- ^ running threads
  , statCapGcNs :: !(Maybe Nanoseconds)
  -- ^ in collections
  , statCapGcWorkNs :: !(Maybe Nanoseconds)
  -- ^ of it, working
  , statCapGcIdleNs :: !(Maybe Nanoseconds)
  -- ^ of it, idle
  , statCapGcWaitNs :: !(Maybe Nanoseconds)
  -- ^ stopped for collections: the sum of the next three
  , statCapWaitBeginNs :: !(Maybe Nanoseconds)
  -- ^ until they began
  , statCapWaitEndNs :: !(Maybe Nanoseconds)
  -- ^ until they ended
  , statCapWaitOutNs :: !(Maybe Nanoseconds)
  -- ^ that it took no part in
  , statCapUnknownNs :: !(Maybe Nanoseconds)
  -- ^ not recorded
  , statCapIdleNs :: !(Maybe Nanoseconds)
  -- ^ the rest
  , statCapAllocatedBytes :: !(Maybe Bytes)
  -- ^ allocated
  , statCapSparksSparks :: !(Maybe Word64)
  -- ^ the sum of the next three
  , statCapSparksCreated :: !(Maybe Word64)
  -- ^ put into a pool
  , statCapSparksDud :: !(Maybe Word64)
  -- ^ already evaluated
  , statCapSparksOverflowed :: !(Maybe Word64)
  -- ^ discarded because the pool was full
  , statCapSparksConverted :: !(Maybe Word64)
  -- ^ evaluated
  , statCapSparksGcd :: !(Maybe Word64)
  -- ^ discarded by the garbage collector
  , statCapSparksFizzled :: !(Maybe Word64)
  -- ^ already evaluated when their turn came
  , statCapRuns :: !(Maybe Word64)
  -- ^ how often threads were run
  , statCapSwitches :: !(Maybe Word64)
  -- ^ how often it changed its thread
  , statCapThreadsCreated :: !(Maybe Word64)
  -- ^ threads that were created there
  , statCapMigrationsIn :: !(Maybe Word64)
  -- ^ threads that came from other caps
  , statCapMigrationsOut :: !(Maybe Word64)
  -- ^ threads that went to other caps
  }
  deriving (Eq, Show)

instance TableRow StatCapRow where
  tableName _ = "stat_cap"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "cap"
    , "present_ns"
    , "running_ns"
    , "gc_ns"
    , "gc_work_ns"
    , "gc_idle_ns"
    , "gc_wait_ns"
    , "wait_begin_ns"
    , "wait_end_ns"
    , "wait_out_ns"
    , "unknown_ns"
    , "idle_ns"
    , "allocated_bytes"
    , "sparks.sparks"
    , "sparks.created"
    , "sparks.dud"
    , "sparks.overflowed"
    , "sparks.converted"
    , "sparks.gcd"
    , "sparks.fizzled"
    , "runs"
    , "switches"
    , "threads_created"
    , "migrations_in"
    , "migrations_out"
    ]
  rowOf cell = StatCapRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> numberOf (cell 19)
    <*> numberOf (cell 20)
    <*> numberOf (cell 21)
    <*> numberOf (cell 22)
    <*> numberOf (cell 23)
    <*> numberOf (cell 24)
    <*> numberOf (cell 25)
    <*> numberOf (cell 26)
    <*> numberOf (cell 27)

-- | The table @stat_generation@: A generation
data StatGenerationRow = StatGenerationRow
  { statGenerationSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , statGenerationProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , statGenerationPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , statGenerationGeneration :: !(Maybe Word64)
  -- ^ its number
  , statGenerationCollections :: !(Maybe Word64)
  -- ^ its collections
  , statGenerationParallel :: !(Maybe Word64)
  -- ^ of these, by several threads
  , statGenerationPauseCount :: !(Maybe Word64)
  -- ^ how many
  , statGenerationPauseTotalNs :: !(Maybe Nanoseconds)
  -- ^ their sum
  , statGenerationPauseMeanNs :: !(Maybe Nanoseconds)
  -- ^ their mean
  , statGenerationPauseP50Ns :: !(Maybe Nanoseconds)
  -- ^ half of them are not longer
  , statGenerationPauseP90Ns :: !(Maybe Nanoseconds)
  -- ^ 90 % are not longer
  , statGenerationPauseP99Ns :: !(Maybe Nanoseconds)
  -- ^ 99 % are not longer
  , statGenerationPauseMaxNs :: !(Maybe Nanoseconds)
  -- ^ the longest
  }
  deriving (Eq, Show)

instance TableRow StatGenerationRow where
  tableName _ = "stat_generation"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "generation"
    , "collections"
    , "parallel"
    , "pause.count"
    , "pause.total_ns"
    , "pause.mean_ns"
    , "pause.p50_ns"
    , "pause.p90_ns"
    , "pause.p99_ns"
    , "pause.max_ns"
    ]
  rowOf cell = StatGenerationRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)

-- | The table @heap_bands@: The bands of heap profiles
data HeapBandsRow = HeapBandsRow
  { heapBandsSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , heapBandsProfile :: !(Maybe Word64)
  -- ^ the profile, counted from 0
  , heapBandsBreakdown :: !(Maybe Text)
  -- ^ what the profile distinguishes
  , heapBandsLabel :: !(Maybe Text)
  -- ^ the band; @(others)@, @(excluded)@: the sums of those without a row
  , heapBandsModule :: !(Maybe Text)
  -- ^ its module
  , heapBandsLocation :: !(Maybe Text)
  -- ^ its place in the source
  , heapBandsType :: !(Maybe Text)
  -- ^ its type
  , heapBandsClosure :: !(Maybe Text)
  -- ^ its kind of closure
  , heapBandsAtBytes :: !(Maybe Bytes)
  -- ^ in the sample of @--at@
  , heapBandsPeakBytes :: !(Maybe Bytes)
  -- ^ in the largest sample
  , heapBandsEndBytes :: !(Maybe Bytes)
  -- ^ in the last sample
  , heapBandsMeanBytes :: !(Maybe Bytes)
  -- ^ the mean over the time
  , heapBandsMaxBytes :: !(Maybe Bytes)
  -- ^ its largest size
  , heapBandsMaxNs :: !(Maybe Nanoseconds)
  -- ^ when it had that
  , heapBandsFirstNs :: !(Maybe Nanoseconds)
  -- ^ its first sample
  , heapBandsLastNs :: !(Maybe Nanoseconds)
  -- ^ its last sample
  , heapBandsSamples :: !(Maybe Word64)
  -- ^ in how many samples it is
  , heapBandsStddevBytes :: !(Maybe Bytes)
  -- ^ the standard deviation of its size
  , heapBandsGrowthBytes :: !(Maybe Double)
  -- ^ in each second, by the line through all samples
  , heapBandsGrowthFit :: !(Maybe Double)
  -- ^ how well that line fits
  , heapBandsLateGrowthBytes :: !(Maybe Double)
  -- ^ likewise, by the line through the later samples
  , heapBandsLateGrowthFit :: !(Maybe Double)
  -- ^ how well that line fits
  , heapBandsSuspect :: !(Maybe Bool)
  -- ^ it rises steadily, and matters
  }
  deriving (Eq, Show)

instance TableRow HeapBandsRow where
  tableName _ = "heap_bands"
  columnNames _ =
    [ "section"
    , "profile"
    , "breakdown"
    , "label"
    , "module"
    , "location"
    , "type"
    , "closure"
    , "at_bytes"
    , "peak_bytes"
    , "end_bytes"
    , "mean_bytes"
    , "max_bytes"
    , "max_ns"
    , "first_ns"
    , "last_ns"
    , "samples"
    , "stddev_bytes"
    , "growth_bytes"
    , "growth_fit"
    , "late_growth_bytes"
    , "late_growth_fit"
    , "suspect"
    ]
  rowOf cell = HeapBandsRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> textOf (cell 2)
    <*> textOf (cell 3)
    <*> textOf (cell 4)
    <*> textOf (cell 5)
    <*> textOf (cell 6)
    <*> textOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> numberOf (cell 10)
    <*> numberOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> numberOf (cell 16)
    <*> numberOf (cell 17)
    <*> realOf (cell 18)
    <*> realOf (cell 19)
    <*> realOf (cell 20)
    <*> realOf (cell 21)
    <*> flagOf (cell 22)

-- | The table @heap_samples@: The samples of heap profiles: a row for each band that is not empty
data HeapSamplesRow = HeapSamplesRow
  { heapSamplesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , heapSamplesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , heapSamplesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , heapSamplesProfile :: !(Maybe Word64)
  -- ^ the profile, counted from 0
  , heapSamplesBreakdown :: !(Maybe Text)
  -- ^ what the profile distinguishes
  , heapSamplesSample :: !(Maybe Word64)
  -- ^ the sample of the profile, counted from 0
  , heapSamplesTimeNs :: !(Maybe Nanoseconds)
  -- ^ of the census; unknown if the profile has a selector of biography
  , heapSamplesBand :: !(Maybe Word64)
  -- ^ a number of the band, in the section and process
  , heapSamplesLabel :: !(Maybe Text)
  -- ^ its label, as of heap_bands, at most 255 bytes
  , heapSamplesBytes :: !(Maybe Bytes)
  -- ^ its size
  }
  deriving (Eq, Show)

instance TableRow HeapSamplesRow where
  tableName _ = "heap_samples"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "profile"
    , "breakdown"
    , "sample"
    , "time_ns"
    , "band"
    , "label"
    , "bytes"
    ]
  rowOf cell = HeapSamplesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> textOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> textOf (cell 8)
    <*> numberOf (cell 9)

-- | The table @prof@: Cost centres, or functions
data ProfRow = ProfRow
  { profSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , profLabel :: !(Maybe Text)
  -- ^ the cost centre, or function
  , profModule :: !(Maybe Text)
  -- ^ its module
  , profLocation :: !(Maybe Text)
  -- ^ its place in the source
  , profCaf :: !(Maybe Bool)
  -- ^ it stands for the constants (CAFs) of its module
  , profOwnTicks :: !(Maybe Word64)
  -- ^ samples of it alone
  , profOwnNs :: !(Maybe Nanoseconds)
  -- ^ the time of these
  , profOwnShare :: !(Maybe Double)
  -- ^ of the program\'s own time
  , profInheritedTicks :: !(Maybe Word64)
  -- ^ samples of it and what it called
  , profInheritedNs :: !(Maybe Nanoseconds)
  -- ^ the time of these
  , profInheritedShare :: !(Maybe Double)
  -- ^ of the program\'s own time
  }
  deriving (Eq, Show)

instance TableRow ProfRow where
  tableName _ = "prof"
  columnNames _ =
    [ "section"
    , "label"
    , "module"
    , "location"
    , "caf"
    , "own_ticks"
    , "own_ns"
    , "own_share"
    , "inherited_ticks"
    , "inherited_ns"
    , "inherited_share"
    ]
  rowOf cell = ProfRow
    <$> numberOf (cell 0)
    <*> textOf (cell 1)
    <*> textOf (cell 2)
    <*> textOf (cell 3)
    <*> flagOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> realOf (cell 7)
    <*> numberOf (cell 8)
    <*> numberOf (cell 9)
    <*> realOf (cell 10)

-- | The table @time_samples@: The samples of time profiles
data TimeSamplesRow = TimeSamplesRow
  { timeSamplesSection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , timeSamplesProcess :: !(Maybe Word64)
  -- ^ only if a merged log has several processes: the capset of the process
  , timeSamplesPid :: !(Maybe Word64)
  -- ^ likewise: its process id
  , timeSamplesSource :: !(Maybe Text)
  -- ^ @cost_centres@ (@-prof@, @+RTS -p@), or @call_stacks@ (ghc-stack-profiler)
  , timeSamplesTimeNs :: !(Maybe Nanoseconds)
  -- ^ when it was taken
  , timeSamplesTick :: !(Maybe Word64)
  -- ^ of @cost_centres@: the number of the tick
  , timeSamplesCap :: !(Maybe Word64)
  -- ^ of which cap
  , timeSamplesThread :: !(Maybe Word64)
  -- ^ of @call_stacks@: the thread
  , timeSamplesKind :: !(Maybe Text)
  -- ^ @own@ time of the program; @gc@, @idle@, @system@, @overhead@, @dont_care@
  , timeSamplesStack :: !(Maybe Word64)
  -- ^ a number of the stack, of its source in the section and process
  , timeSamplesLabel :: !(Maybe Text)
  -- ^ the stack, innermost frame first, at most 255 bytes
  , timeSamplesSinceNs :: !(Maybe Nanoseconds)
  -- ^ the time that the sample stands for: since the one before
  }
  deriving (Eq, Show)

instance TableRow TimeSamplesRow where
  tableName _ = "time_samples"
  columnNames _ =
    [ "section"
    , "process"
    , "pid"
    , "source"
    , "time_ns"
    , "tick"
    , "cap"
    , "thread"
    , "kind"
    , "stack"
    , "label"
    , "since_ns"
    ]
  rowOf cell = TimeSamplesRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> textOf (cell 3)
    <*> numberOf (cell 4)
    <*> numberOf (cell 5)
    <*> numberOf (cell 6)
    <*> numberOf (cell 7)
    <*> textOf (cell 8)
    <*> numberOf (cell 9)
    <*> textOf (cell 10)
    <*> numberOf (cell 11)

-- | The table @ticky@: Ticky-ticky counters
data TickyRow = TickyRow
  { tickySection :: !(Maybe Word64)
  -- ^ the section of the log, counted from 1
  , tickyFromNs :: !(Maybe Nanoseconds)
  -- ^ the slice of time, with @--every@
  , tickyToNs :: !(Maybe Nanoseconds)
  -- ^ its end
  , tickyCounter :: !(Maybe Word64)
  -- ^ its number in the log (an address of the program)
  , tickyLabel :: !(Maybe Text)
  -- ^ its name, as in GHC\'s @.ticky@ reports; unknown without a definition, which GHC writes when the program ends
  , tickyType :: !(Maybe Text)
  -- ^ @fun@, @thk@ (thunk), @thk_u@ (updated thunk), @con@, @lne@ (let-no-escape), @tag@ (avoided checks of pointer tags); before GHC 9.6 by the name
  , tickyArity :: !(Maybe Word64)
  -- ^ the number of its arguments
  , tickyFreeVariables :: !(Maybe Text)
  -- ^ a letter for each variable: see the man page. Known since GHC 9.6
  , tickyArguments :: !(Maybe Text)
  -- ^ a letter for each argument
  , tickyAllocsBytes :: !(Maybe Bytes)
  -- ^ what its code allocated
  , tickyAllocsShare :: !(Maybe Double)
  -- ^ of what the program allocated; unknown in slices, and without +RTS -lg
  , tickyTickedShare :: !(Maybe Double)
  -- ^ of what all counters allocated
  , tickyEntries :: !(Maybe Word64)
  -- ^ how often it was entered
  , tickyAllocsPerEntryBytes :: !(Maybe Bytes)
  -- ^ a mean, rounded down
  , tickyAllocdBytes :: !(Maybe Bytes)
  -- ^ with -ticky-allocd: its closures that were allocated
  , tickyAllocdClosures :: !(Maybe Word64)
  -- ^ their number, if type and free variables are known, for words of 8 bytes and without -prof
  , tickyEntriesPerClosure :: !(Maybe Double)
  -- ^ entries for each
  , tickyEntriesPerSecond :: !(Maybe Word64)
  -- ^ in the part of the section in the interval or slice
  , tickyAllocsPerSecondBytes :: !(Maybe Bytes)
  -- ^ likewise
  , tickyModule :: !(Maybe Text)
  -- ^ by the log\'s info tables (GHC 9.4 and later, -finfo-table-map); likewise the next three
  , tickyLocation :: !(Maybe Text)
  -- ^ the place in the source
  , tickyIpeLabel :: !(Maybe Text)
  -- ^ the label of the info table
  , tickyIpeType :: !(Maybe Text)
  -- ^ its type
  , tickySamples :: !(Maybe Word64)
  -- ^ how many samples
  , tickyFirstNs :: !(Maybe Nanoseconds)
  -- ^ the time of the first sample
  , tickyLastNs :: !(Maybe Nanoseconds)
  -- ^ the time of the last sample
  }
  deriving (Eq, Show)

instance TableRow TickyRow where
  tableName _ = "ticky"
  columnNames _ =
    [ "section"
    , "from_ns"
    , "to_ns"
    , "counter"
    , "label"
    , "type"
    , "arity"
    , "free_variables"
    , "arguments"
    , "allocs_bytes"
    , "allocs_share"
    , "ticked_share"
    , "entries"
    , "allocs_per_entry_bytes"
    , "allocd_bytes"
    , "allocd_closures"
    , "entries_per_closure"
    , "entries_per_second"
    , "allocs_per_second_bytes"
    , "module"
    , "location"
    , "ipe_label"
    , "ipe_type"
    , "samples"
    , "first_ns"
    , "last_ns"
    ]
  rowOf cell = TickyRow
    <$> numberOf (cell 0)
    <*> numberOf (cell 1)
    <*> numberOf (cell 2)
    <*> numberOf (cell 3)
    <*> textOf (cell 4)
    <*> textOf (cell 5)
    <*> numberOf (cell 6)
    <*> textOf (cell 7)
    <*> textOf (cell 8)
    <*> numberOf (cell 9)
    <*> realOf (cell 10)
    <*> realOf (cell 11)
    <*> numberOf (cell 12)
    <*> numberOf (cell 13)
    <*> numberOf (cell 14)
    <*> numberOf (cell 15)
    <*> realOf (cell 16)
    <*> numberOf (cell 17)
    <*> numberOf (cell 18)
    <*> textOf (cell 19)
    <*> textOf (cell 20)
    <*> textOf (cell 21)
    <*> textOf (cell 22)
    <*> numberOf (cell 23)
    <*> numberOf (cell 24)
    <*> numberOf (cell 25)
