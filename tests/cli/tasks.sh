#!/usr/bin/env bash
# tasks: the OS threads of a runtime, their caps and lifetimes.
. tests/support/verb.bash
log=$logs/demo.eventlog
behaves tasks "$log" "$logs/restarted.eventlog"
agrees tasks "$log" "$logs"/{threads,spans,sparks,heap-generations}.eventlog
limits tasks lifetime_ns "$log"
limits tasks created_ns "$log"
gives 1 tasks "$logs/threads-few-classes.eventlog"
says "the log has no events of"
