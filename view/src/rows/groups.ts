// The groups of rows, in their order.
import { activityRows } from "./activity";
import { allocationRows } from "./allocation";
import { capRows } from "./cap";
import { heapRows } from "./heap";
import type { Group } from "./row";

export const groups: readonly Group[] = [
    { id: "all", name: "", isOpen: true, rows: activityRows },
    { id: "caps", name: "Caps", isOpen: true, rows: capRows },
    { id: "heap", name: "Heap", isOpen: true, rows: (track) => [...heapRows(track), ...allocationRows(track)] },
];
