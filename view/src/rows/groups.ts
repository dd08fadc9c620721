// The groups of rows, in their order.
import { activityRows } from "./activity";
import { allocationRows } from "./allocation";
import { capRows } from "./cap";
import { heapRows } from "./heap";
import type { Group } from "./row";
import { threadGroups } from "./threads";

const isOpen = () => true;

export const groups: readonly Group[] = [
    { id: "all", name: "", isOpen, rows: activityRows },
    { id: "caps", name: "Caps", isOpen, rows: capRows },
    { id: "heap", name: "Heap", isOpen, rows: (track) => [...heapRows(track), ...allocationRows(track)] },
    ...threadGroups,
];
