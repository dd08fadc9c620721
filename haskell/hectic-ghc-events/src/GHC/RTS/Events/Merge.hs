-- | Two logs as one: the second one's threads, caps and capsets get numbers that the first does not use.
module GHC.RTS.Events.Merge (mergeEventLogs) where

import Data.List (foldl')
import qualified Data.Map as M

import GHC.RTS.EventTypes

mergeEventLogs :: EventLog -> EventLog -> EventLog
mergeEventLogs (EventLog first (Data before)) (EventLog second (Data after)) =
  found == found `seq` EventLog found (Data (mergeByTime before (map (shifted (foldl' note (Used 0 0 0) before)) after)))
 where
  found = Header (M.elems (M.unionWith same (byNumber first) (byNumber second)))
  byNumber (Header types) = M.fromList [(num t, t) | t <- types]
  same a b = if a == b then a else error "can't merge event logs with inconsistent headers"

-- | Of equal times, those of the first list come first.
mergeByTime :: [Event] -> [Event] -> [Event]
mergeByTime [] bs = bs
mergeByTime as [] = as
mergeByTime (a : as) (b : bs)
  | evTime a <= evTime b = a : mergeByTime as (b : bs)
  | otherwise = b : mergeByTime (a : as) bs

-- | How many numbers a log uses, which begin at 0; threads at 1.
data Used = Used !Capset !Int !ThreadId

note :: Used -> Event -> Used
note used@(Used sets caps threads) event = case evSpec event of
  Startup count -> Used sets (caps + count) threads
  CreateThread t -> Used sets caps (max threads t)
  CreateSparkThread t -> Used sets caps (max threads t)
  CapsetCreate set _ -> Used (max sets (set + 1)) caps threads
  _ -> used

shifted :: Used -> Event -> Event
shifted (Used sets caps threads) (Event at info number) = Event at (shift info) ((caps +) <$> number)
 where
  t' = (+ threads)
  c' = (+ caps)
  s' = (+ sets)
  shift what = case what of
    EventBlock end c bytes -> EventBlock end (c' c) bytes
    CreateThread t -> CreateThread (t' t)
    RunThread t -> RunThread (t' t)
    StopThread t s -> StopThread (t' t) s
    ThreadRunnable t -> ThreadRunnable (t' t)
    MigrateThread t c -> MigrateThread (t' t) (c' c)
    WakeupThread t c -> WakeupThread (t' t) (c' c)
    ThreadLabel t l -> ThreadLabel (t' t) l
    CreateSparkThread t -> CreateSparkThread (t' t)
    SparkSteal c -> SparkSteal (c' c)
    TaskCreate t c k -> TaskCreate t (c' c) k
    TaskMigrate t c d -> TaskMigrate t (c' c) (c' d)
    CapCreate c -> CapCreate (c' c)
    CapDelete c -> CapDelete (c' c)
    CapDisable c -> CapDisable (c' c)
    CapEnable c -> CapEnable (c' c)
    CapsetCreate s k -> CapsetCreate (s' s) k
    CapsetDelete s -> CapsetDelete (s' s)
    CapsetAssignCap s c -> CapsetAssignCap (s' s) (c' c)
    CapsetRemoveCap s c -> CapsetRemoveCap (s' s) (c' c)
    RtsIdentifier s x -> RtsIdentifier (s' s) x
    ProgramArgs s x -> ProgramArgs (s' s) x
    ProgramEnv s x -> ProgramEnv (s' s) x
    OsProcessPid s x -> OsProcessPid (s' s) x
    OsProcessParentPid s x -> OsProcessParentPid (s' s) x
    WallClockTime s x y -> WallClockTime (s' s) x y
    _ -> what
