// What the program allocates, by column.
import { bytes } from "../text";
import { xOf, type RowKind } from "./row";

export const allocationRows: RowKind = (track) => [
    {
        name: "Allocation",
        height: 44,
        draw: (frame) => {
            const { context, width, height, scale, view, palette } = frame;
            context.clearRect(0, 0, width, height);
            context.font = `${11 * scale}px ${palette.font}`;
            context.textBaseline = "top";
            context.fillStyle = palette.line;
            context.fillRect(0, height - scale, width, scale);
            if (!track.curves) return "";
            const { values, window } = track.curves;
            const sums = values.allocated.max;
            const seconds = (window.to - window.from) / Math.max(sums.length, 1) / 1e9;
            const x = (column: number) => xOf(frame, window.from + column * seconds * 1e9);
            let top = 0;
            let all = 0;
            sums.forEach((sum, column) => {
                const middle = window.from + (column + 0.5) * seconds * 1e9;
                if (sum === null || middle < view.from || middle >= view.to) return;
                top = Math.max(top, sum);
                all += sum;
            });
            if (top === 0) {
                context.fillStyle = palette.faint;
                const recorded = track.overview?.recorded.allocated !== false;
                const text = recorded ? "No allocation is known here." : "The log has no allocation. +RTS -lg records it.";
                context.fillText(text, 8 * scale, 8 * scale);
                return "";
            }
            context.fillStyle = palette.allocated;
            sums.forEach((sum, column) => {
                if (!sum) return;
                const left = Math.round(x(column));
                const size = Math.max((sum / top) * (height - 14 * scale), scale);
                context.fillRect(left, height - size, Math.max(Math.round(x(column + 1)) - left, 1), size);
            });
            context.fillStyle = palette.faint;
            // The runtime reports it in collections: a rate only over many of them.
            context.fillText(seconds >= 1e-3 ? `${bytes(top / seconds)}/s` : bytes(top), 4 * scale, scale);
            return bytes(all);
        },
    },
];
