// The groups of rows, in their order.
import { activityRows } from "./activity";
import { allocationRows } from "./allocation";
import { heapProfileGroup } from "./bands";
import { capRows } from "./cap";
import { areMany } from "./caps_map";
import { gcGroup } from "./gc";
import { heapRows } from "./heap";
import { heatGroup } from "./heat";
import type { Group } from "./row";
import { spanGroups } from "./spans";
import { sparkGroup } from "./sparks";
import { threadGroups } from "./threads";

const isOpen = () => true;

export const groups: readonly Group[] = [
    { id: "all", name: "", isOpen, rows: activityRows },
    { id: "caps", name: "Caps", isOpen: (track) => !areMany(track), rows: capRows },
    gcGroup,
    { id: "heap", name: "Heap", isOpen, rows: (track) => [...heapRows(track), ...allocationRows(track)] },
    heapProfileGroup,
    heatGroup,
    ...spanGroups,
    sparkGroup,
    ...threadGroups,
];
