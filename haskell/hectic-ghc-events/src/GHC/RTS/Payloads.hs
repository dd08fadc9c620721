{-# LANGUAGE CPP #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The payloads of hectic as those of ghc-events, and back.
module GHC.RTS.Payloads
  ( infoOf
  , payloadOf
  , stopStatusOf
  ) where

import Data.Char (isDigit)
import qualified Data.Text as T
import qualified Data.Vector.Unboxed as VU
import Data.Word (Word32, Word64)
import Hectic.Payload (Payload)
import qualified Hectic.Payload as P

import GHC.RTS.EventTypes

n :: (Integral a, Num b) => a -> b
n = fromIntegral

-- | What ghc-events calls it; events that it does not have, and those that cannot be decoded, are
-- unknown. The flag: statuses of STOP_THREAD from 8 on are one too high, as GHC 7.8.2 wrote them.
infoOf :: Bool -> Payload -> EventInfo
infoOf isShifted payload' = case payload' of
  P.BlockMarker bytes end c -> EventBlock end (n c) (n bytes - 24)
  P.Startup c -> Startup (n c)
  P.CreateThread t -> CreateThread t
  P.RunThread t -> RunThread t
  P.StopThread t s i -> StopThread t (stopStatusOf isShifted s (n <$> i))
  P.ThreadRunnable t -> ThreadRunnable t
  P.MigrateThread t c -> MigrateThread t (n c)
  P.ThreadWakeup t c -> WakeupThread t (n c)
  P.ThreadLabel t l -> ThreadLabel t l
  P.CreateSparkThread t -> CreateSparkThread t
  P.SparkCounters a b c d e f g -> SparkCounters a b c d f e g -- hectic: collected, then fizzled
  P.SparkCreate -> SparkCreate
  P.SparkDud -> SparkDud
  P.SparkOverflow -> SparkOverflow
  P.SparkRun -> SparkRun
  P.SparkSteal c -> SparkSteal (n c)
  P.SparkFizzle -> SparkFizzle
  P.SparkGc -> SparkGC
  P.TaskCreate t c k -> TaskCreate t (n c) (KernelThreadId k)
  P.TaskMigrate t c d -> TaskMigrate t (n c) (n d)
  P.TaskDelete t -> TaskDelete t
  P.RequestSeqGc -> RequestSeqGC
  P.RequestParGc -> RequestParGC
  P.GcStart -> StartGC
  P.GcWork -> GCWork
  P.GcIdle -> GCIdle
  P.GcDone -> GCDone
  P.GcEnd -> EndGC
  P.GcGlobalSync -> GlobalSyncGC
  P.GcStatsGhc h g a b c p x y z -> GCStatsGHC h (n g) a b c (n p) x y z
  P.MemReturn h a b c -> MemReturn h (n a) (n b) (n c)
  P.HeapAllocated h b -> HeapAllocated h b
  P.HeapSize h b -> HeapSize h b
  P.BlocksSize h b -> BlocksSize h b
  P.HeapLive h b -> HeapLive h b
  P.HeapInfoGhc h g a b c d -> HeapInfoGHC h (n g) a b c d
  P.CapCreate c -> CapCreate (n c)
  P.CapDelete c -> CapDelete (n c)
  P.CapDisable c -> CapDisable (n c)
  P.CapEnable c -> CapEnable (n c)
  P.CapsetCreate c t -> CapsetCreate c (capsetTypeOf t)
  P.CapsetDelete c -> CapsetDelete c
  P.CapsetAssignCap c d -> CapsetAssignCap c (n d)
  P.CapsetRemoveCap c d -> CapsetRemoveCap c (n d)
  P.RtsIdentifier c t -> RtsIdentifier c t
  P.ProgramArgs c ts -> ProgramArgs c (textsOf ts)
  P.ProgramEnv c ts -> ProgramEnv c (textsOf ts)
  P.OsprocessPid c p -> OsProcessPid c (n p)
  P.OsprocessPpid c p -> OsProcessParentPid c (n p)
  P.WallClockTime c s ns -> WallClockTime c s (n ns)
  P.LogMsg t -> Message t
  P.UserMsg t -> UserMessage t
  P.UserMarker t -> UserMarker t
  P.Version t -> Version (T.unpack t)
  P.ProgramInvocation t -> ProgramInvocation (T.unpack t)
  P.CreateMachine m t -> CreateMachine (n m) t
  P.KillMachine m -> KillMachine (n m)
  P.CreateProcess p -> CreateProcess (n p)
  P.KillProcess p -> KillProcess (n p)
  P.AssignThreadToProcess t p -> AssignThreadToProcess t (n p)
  P.EdenStartReceive -> EdenStartReceive
  P.EdenEndReceive -> EdenEndReceive
  P.SendMessage t a b c d e -> SendMessage (tagOf t) (n a) b (n c) (n d) (n e)
  P.ReceiveMessage t a b c d e f -> ReceiveMessage (tagOf t) (n a) (n b) (n c) (n d) e (n f)
  P.SendReceiveLocalMessage t a b c d -> SendReceiveLocalMessage (tagOf t) (n a) b (n c) (n d)
  P.InternString t i -> InternString (T.unpack t) (n i)
  P.MerStartParConjunction a b -> MerStartParConjunction a (n b)
  P.MerStopParConjunction a -> MerEndParConjunction a
  P.MerStopParConjunct a -> MerEndParConjunct a
  P.MerCreateSpark a b -> MerCreateSpark a (n b)
  P.MerFutCreate a b -> MerFutureCreate a (n b)
  P.MerFutWaitNosuspend a -> MerFutureWaitNosuspend a
  P.MerFutWaitSuspended a -> MerFutureWaitSuspended a
  P.MerFutSignal a -> MerFutureSignal a
  P.MerLookingForGlobalContext -> MerLookingForGlobalThread
  P.MerWorkStealing -> MerWorkStealing
  P.MerLookingForLocalSpark -> MerLookingForLocalSpark
  P.MerReleaseContext t -> MerReleaseThread t
  P.MerEngineSleeping -> MerCapSleeping
  P.MerCallingMain -> MerCallingMain
  P.PerfName a t -> PerfName (n a) t
  P.PerfCounter a b c -> PerfCounter (n a) (KernelThreadId b) c
  P.PerfTracepoint a b -> PerfTracepoint (n a) (KernelThreadId b)
  P.HeapProfBegin p s b f1 f2 f3 f4 f5 f6 f7
    | Just breakdown <- lookup (n b) breakdowns -> HeapProfBegin (n p) s breakdown f1 f2 f3 f4 f5 f6 f7
  P.HeapProfCostCentre c l m s f -> HeapProfCostCentre (n c) l m s (HeapProfFlags (n f))
  P.Ipe i t c d l m s -> InfoTableProv i t (numberAt c) d l m s
  P.HeapProfSampleBegin e -> HeapProfSampleBegin e
  P.HeapProfSampleEnd e -> HeapProfSampleEnd e
  P.HeapBioProfSampleBegin e t -> HeapBioProfSampleBegin e t
  P.HeapProfSampleCostCentre p r s -> HeapProfSampleCostCentre (n p) r (n (length s)) (VU.fromList s)
  P.HeapProfSampleString p r l -> HeapProfSampleString (n p) r l
  P.ProfSampleCostCentre c t s -> ProfSampleCostCentre (n c) t (n (length s)) (VU.fromList s)
  P.ProfBegin t -> ProfBegin t
  P.UserBinaryMsg b -> UserBinaryMessage b
  P.ConcMarkBegin -> ConcMarkBegin
  P.ConcMarkEnd c -> ConcMarkEnd (n c)
  P.ConcSyncBegin -> ConcSyncBegin
  P.ConcSyncEnd -> ConcSyncEnd
  P.ConcSweepBegin -> ConcSweepBegin
  P.ConcSweepEnd -> ConcSweepEnd
  P.ConcUpdRemSetFlush c -> ConcUpdRemSetFlush (n c)
#if defined(API_0_17)
  -- Of GHC before 7.2.
  P.RunSpark _ -> SparkRun
  P.StealSpark _ c -> SparkSteal (n c)
  P.Shutdown -> Shutdown
  P.NonmovingHeapCensus l a f b s -> NonmovingHeapCensus (maybe (maybe 0 logarithm s) n l) (n a) (n f) (n b)
  P.TickyCounterDef i a k l _ _ -> TickyCounterDef i (n a) k l
#else
  P.NonmovingHeapCensus (Just l) a f b _ -> census (2 ^ l) (n a) (n f) (n b) True
  P.NonmovingHeapCensus _ a f b s -> census (maybe 0 n s) (n a) (n f) (n b) False
  P.NonmovingPrunedSegments a b -> NonmovingPrunedSegments (n a) (n b)
  P.TickyCounterDef i a k l t j -> TickyCounterDef i (n a) k l (maybe 0 id t) j
#endif
  P.TickyCounterSample i a b c -> TickyCounterSample i a b c
  P.TickyBeginSample -> TickyBeginSample
  _ -> UnknownEvent (P.payloadNumber payload')
#if defined(API_0_21_0) && !defined(API_0_17)
 where
  census size' a f b _ = NonmovingHeapCensus size' a f b
#elif !defined(API_0_17)
 where
  census = NonmovingHeapCensus
#endif

-- | As ghc-events: what follows the last text that is not empty is left out, and there is at least one.
textsOf :: [T.Text] -> [T.Text]
textsOf texts = case reverse (dropWhile T.null (reverse texts)) of
  [] -> [""]
  some -> some

-- | The number that a text begins with.
numberAt :: T.Text -> Int
numberAt text = T.foldl' (\sum' digit -> sum' * 10 + fromEnum digit - fromEnum '0') 0 (T.takeWhile isDigit text)

capsetTypeOf :: Word64 -> CapsetType
capsetTypeOf number = case number of
  1 -> CapsetCustom
  2 -> CapsetOsProcess
  3 -> CapsetClockDomain
  _ -> CapsetUnknown

numberOfCapsetType :: CapsetType -> Word64
numberOfCapsetType CapsetCustom = 1
numberOfCapsetType CapsetOsProcess = 2
numberOfCapsetType CapsetClockDomain = 3
numberOfCapsetType CapsetUnknown = 0

tagOf :: Word64 -> MessageTag
tagOf number = toEnum (fromIntegral number - 0x50)

numberOfTag :: MessageTag -> Word64
numberOfTag tag = fromIntegral (fromEnum tag) + 0x50

-- | The status of a thread from its number, and the number after it, if there is one.
stopStatusOf :: Bool -> Word64 -> Maybe Word32 -> ThreadStopStatus
stopStatusOf isShifted number info = case usual of
  1 -> HeapOverflow
#ifdef API_0_21_0
  2 -> StackOverflow
  4 -> ThreadBlocked
  14 -> BlockedOnCCall
  15 -> BlockedOnCCall_NoUnblockExc
  16 -> BlockedOnMsgThrowTo
  17 -> ThreadMigrating
  18 -> BlockedOnMsgGlobalise
#else
  2 -> StackOverflow (maybe 0 id info)
  18 -> BlockedOnMsgThrowTo
#endif
  3 -> ThreadYielding
  5 -> ThreadFinished
  6 -> ForeignCall
  7 -> BlockedOnMVar
  8 -> maybe BlockedOnBlackHole BlockedOnBlackHoleOwnedBy info
  9 -> BlockedOnRead
  10 -> BlockedOnWrite
  11 -> BlockedOnDelay
  12 -> BlockedOnSTM
  13 -> BlockedOnDoProc
  20 -> BlockedOnMVarRead
  _ -> NoStatus
 where
  usual
    | isShifted && number == 8 = 20
    | isShifted && number > 19 = 0
    | isShifted && number > 8 = number - 1
    | otherwise = number

-- | The inverse.
numberOfStatus :: ThreadStopStatus -> (Word64, Word64)
numberOfStatus status' = case status' of
  NoStatus -> (0, 0)
  HeapOverflow -> (1, 0)
#ifdef API_0_21_0
  StackOverflow -> (2, 0)
  ThreadBlocked -> (4, 0)
  BlockedOnCCall -> (14, 0)
  BlockedOnCCall_NoUnblockExc -> (15, 0)
  BlockedOnMsgThrowTo -> (16, 0)
  ThreadMigrating -> (17, 0)
  BlockedOnMsgGlobalise -> (18, 0)
#else
  StackOverflow i -> (2, n i)
  BlockedOnMsgThrowTo -> (18, 0)
#endif
  ThreadYielding -> (3, 0)
  ThreadFinished -> (5, 0)
  ForeignCall -> (6, 0)
  BlockedOnMVar -> (7, 0)
  BlockedOnBlackHole -> (8, 0)
  BlockedOnBlackHoleOwnedBy t -> (8, n t)
  BlockedOnRead -> (9, 0)
  BlockedOnWrite -> (10, 0)
  BlockedOnDelay -> (11, 0)
  BlockedOnSTM -> (12, 0)
  BlockedOnDoProc -> (13, 0)
  BlockedOnMVarRead -> (20, 0)

#if defined(API_0_17) || !defined(API_0_21_0)
-- | To base 2, of sizes in bytes.
logarithm :: (Integral a, Num b) => a -> b
logarithm s = n (length (takeWhile (< (n s :: Integer)) (iterate (* 2) 1)))
#endif

-- | What hectic encodes; 'Nothing': an unknown event.
payloadOf :: EventInfo -> Maybe Payload
payloadOf info = case info of
  UnknownEvent _ -> Nothing
  _ -> Just known
 where
  known = case info of
    UnknownEvent r -> P.Unknown r mempty
    EventBlock end c s -> P.BlockMarker (n s + 24) end (if c < 0 then 0xffff else n c)
    Startup c -> P.Startup (n c)
    Shutdown -> P.Shutdown
    CreateThread t -> P.CreateThread t
    RunThread t -> P.RunThread t
    StopThread t s -> let (number, i) = numberOfStatus s in P.StopThread t number (Just i)
    ThreadRunnable t -> P.ThreadRunnable t
    MigrateThread t c -> P.MigrateThread t (n c)
    WakeupThread t c -> P.ThreadWakeup t (n c)
    ThreadLabel t l -> P.ThreadLabel t l
    CreateSparkThread t -> P.CreateSparkThread t
    SparkCounters a b c d f e g -> P.SparkCounters a b c d e f g
    SparkCreate -> P.SparkCreate
    SparkDud -> P.SparkDud
    SparkOverflow -> P.SparkOverflow
    SparkRun -> P.SparkRun
    SparkSteal c -> P.SparkSteal (n c)
    SparkFizzle -> P.SparkFizzle
    SparkGC -> P.SparkGc
    TaskCreate t c k -> P.TaskCreate t (n c) (kernelThreadId k)
    TaskMigrate t c d -> P.TaskMigrate t (n c) (n d)
    TaskDelete t -> P.TaskDelete t
    RequestSeqGC -> P.RequestSeqGc
    RequestParGC -> P.RequestParGc
    StartGC -> P.GcStart
    GCWork -> P.GcWork
    GCIdle -> P.GcIdle
    GCDone -> P.GcDone
    EndGC -> P.GcEnd
    GlobalSyncGC -> P.GcGlobalSync
    GCStatsGHC h g a b c p x y z -> P.GcStatsGhc h (n g) a b c (n p) x y z
    MemReturn h a b c -> P.MemReturn h (n a) (n b) (n c)
    HeapAllocated h b -> P.HeapAllocated h b
    HeapSize h b -> P.HeapSize h b
    BlocksSize h b -> P.BlocksSize h b
    HeapLive h b -> P.HeapLive h b
    HeapInfoGHC h g a b c d -> P.HeapInfoGhc h (n g) a b c d
    CapCreate c -> P.CapCreate (n c)
    CapDelete c -> P.CapDelete (n c)
    CapDisable c -> P.CapDisable (n c)
    CapEnable c -> P.CapEnable (n c)
    CapsetCreate c t -> P.CapsetCreate c (numberOfCapsetType t)
    CapsetDelete c -> P.CapsetDelete c
    CapsetAssignCap c d -> P.CapsetAssignCap c (n d)
    CapsetRemoveCap c d -> P.CapsetRemoveCap c (n d)
    RtsIdentifier c t -> P.RtsIdentifier c t
    ProgramArgs c ts -> P.ProgramArgs c ts
    ProgramEnv c ts -> P.ProgramEnv c ts
    OsProcessPid c p -> P.OsprocessPid c (n p)
    OsProcessParentPid c p -> P.OsprocessPpid c (n p)
    WallClockTime c s ns -> P.WallClockTime c s (n ns)
    Message t -> P.LogMsg t
    UserMessage t -> P.UserMsg t
    UserMarker t -> P.UserMarker t
    Version t -> P.Version (T.pack t)
    ProgramInvocation t -> P.ProgramInvocation (T.pack t)
    CreateMachine m t -> P.CreateMachine (n m) t
    KillMachine m -> P.KillMachine (n m)
    CreateProcess p -> P.CreateProcess (n p)
    KillProcess p -> P.KillProcess (n p)
    AssignThreadToProcess t p -> P.AssignThreadToProcess t (n p)
    EdenStartReceive -> P.EdenStartReceive
    EdenEndReceive -> P.EdenEndReceive
    SendMessage t a b c d e -> P.SendMessage (numberOfTag t) (n a) b (n c) (n d) (n e)
    ReceiveMessage t a b c d e f -> P.ReceiveMessage (numberOfTag t) (n a) (n b) (n c) (n d) e (n f)
    SendReceiveLocalMessage t a b c d -> P.SendReceiveLocalMessage (numberOfTag t) (n a) b (n c) (n d)
    InternString t i -> P.InternString (T.pack t) (n i)
    MerStartParConjunction a b -> P.MerStartParConjunction a (n b)
    MerEndParConjunction a -> P.MerStopParConjunction a
    MerEndParConjunct a -> P.MerStopParConjunct a
    MerCreateSpark a b -> P.MerCreateSpark a (n b)
    MerFutureCreate a b -> P.MerFutCreate a (n b)
    MerFutureWaitNosuspend a -> P.MerFutWaitNosuspend a
    MerFutureWaitSuspended a -> P.MerFutWaitSuspended a
    MerFutureSignal a -> P.MerFutSignal a
    MerLookingForGlobalThread -> P.MerLookingForGlobalContext
    MerWorkStealing -> P.MerWorkStealing
    MerLookingForLocalSpark -> P.MerLookingForLocalSpark
    MerReleaseThread t -> P.MerReleaseContext t
    MerCapSleeping -> P.MerEngineSleeping
    MerCallingMain -> P.MerCallingMain
    PerfName a t -> P.PerfName (n a) t
    PerfCounter a b c -> P.PerfCounter (n a) (kernelThreadId b) c
    PerfTracepoint a b -> P.PerfTracepoint (n a) (kernelThreadId b)
    HeapProfBegin p s b f1 f2 f3 f4 f5 f6 f7 ->
      P.HeapProfBegin (n p) s (n (numberOfBreakdown b)) f1 f2 f3 f4 f5 f6 f7
    HeapProfCostCentre c l m s (HeapProfFlags f) -> P.HeapProfCostCentre (n c) l m s (n f)
    InfoTableProv i t c d l m s -> P.Ipe i t (T.pack (show (fromIntegral c :: Word64))) d l m s
    HeapProfSampleBegin e -> P.HeapProfSampleBegin e
    HeapProfSampleEnd e -> P.HeapProfSampleEnd e
    HeapBioProfSampleBegin e t -> P.HeapBioProfSampleBegin e t
    HeapProfSampleCostCentre p r _ s -> P.HeapProfSampleCostCentre (n p) r (VU.toList s)
    HeapProfSampleString p r l -> P.HeapProfSampleString (n p) r l
    ProfSampleCostCentre c t _ s -> P.ProfSampleCostCentre (n c) t (VU.toList s)
    ProfBegin t -> P.ProfBegin t
    UserBinaryMessage b -> P.UserBinaryMsg b
    ConcMarkBegin -> P.ConcMarkBegin
    ConcMarkEnd c -> P.ConcMarkEnd (n c)
    ConcSyncBegin -> P.ConcSyncBegin
    ConcSyncEnd -> P.ConcSyncEnd
    ConcSweepBegin -> P.ConcSweepBegin
    ConcSweepEnd -> P.ConcSweepEnd
    ConcUpdRemSetFlush c -> P.ConcUpdRemSetFlush (n c)
#if defined(API_0_17)
    NonmovingHeapCensus s a f b -> P.NonmovingHeapCensus (Just (n s)) (n a) (n f) (n b) Nothing
    TickyCounterDef i a k l -> P.TickyCounterDef i (n a) k l Nothing Nothing
#else
#if defined(API_0_21_0)
    NonmovingHeapCensus s a f b -> P.NonmovingHeapCensus Nothing (n a) (n f) (n b) (Just (n s))
#else
    NonmovingHeapCensus s a f b True -> P.NonmovingHeapCensus (Just (logarithm s)) (n a) (n f) (n b) Nothing
    NonmovingHeapCensus s a f b False -> P.NonmovingHeapCensus Nothing (n a) (n f) (n b) (Just (n s))
#endif
    NonmovingPrunedSegments a b -> P.NonmovingPrunedSegments (n a) (n b)
    TickyCounterDef i a k l t j -> P.TickyCounterDef i (n a) k l (Just t) j
#endif
    TickyCounterSample i a b c -> P.TickyCounterSample i a b c
    TickyBeginSample -> P.TickyBeginSample
