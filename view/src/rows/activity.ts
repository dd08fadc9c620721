// All caps together.
import type { RowKind } from "./row";
import { drawShares } from "./shares";

export const activityRows: RowKind = () => [
    {
        name: "All caps",
        height: 56,
        draw: (frame) => drawShares(frame, (tile) => ({ shares: tile.mean, offset: 0 })),
    },
];
