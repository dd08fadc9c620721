// All caps together.
import type { Track } from "../track";
import type { Row } from "./row";
import { runningShare } from "./numbers";
import { drawShares, sharesAt } from "./shares";

export const activityRows = (track: Track): Row[] => [
    {
        id: "all",
        name: "All caps",
        height: 56,
        draw: (frame) => {
            drawShares(frame, (tile) => ({ shares: tile.mean, offset: 0 }));
            return runningShare(track, () => true);
        },
        describe: (point) => sharesAt(track, point, (tile) => ({ shares: tile.mean, offset: 0 })),
    },
];
