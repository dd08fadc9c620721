// All caps together.
import type { Track } from "../track";
import type { Row } from "./row";
import { drawShares, sharesAt } from "./shares";

export const activityRows = (track: Track): Row[] => [
    {
        id: "all",
        name: "All caps",
        height: 56,
        draw: (frame) => drawShares(frame, (tile) => ({ shares: tile.mean, offset: 0 })),
        describe: (point) => sharesAt(track, point, (tile) => ({ shares: tile.mean, offset: 0 })),
    },
];
