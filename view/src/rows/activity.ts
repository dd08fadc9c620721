// All caps together; of many, also a map of them.
import type { Track } from "../track";
import type { Row } from "./row";
import { areMany, capsMapRow } from "./caps_map";
import { runningShare } from "./numbers";
import { drawShares, sharesAt } from "./shares";
import { columnThing } from "./thing";

export const activityRows = (track: Track): Row[] => [
    {
        id: "all",
        name: "All caps",
        height: 56,
        draw: (frame) => {
            drawShares(frame, (tile) => ({ shares: tile.mean, offset: 0 }));
            return runningShare(track, () => true);
        },
        thingAt: ({ ns, pixel }) => columnThing("All caps", track.range, pixel, ns),
        describe: (point) => sharesAt(track, point, (tile) => ({ shares: tile.mean, offset: 0 })),
    },
    ...(areMany(track) ? [capsMapRow(track)] : []),
];
