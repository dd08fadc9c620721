// What can be done by keys, and what buttons do: one table, which the help shows too.

export interface Command {
    /** As in KeyboardEvent.key; letters in lower case. With "Shift+" or "Ctrl+" in front. */
    keys: readonly string[];
    text: string;
    /** Also while no log is open. */
    always?: boolean;
    run(): void;
}

export interface Gesture {
    name: string;
    text: string;
}

export const gestures: readonly Gesture[] = [
    { name: "Drag", text: "Select a range" },
    { name: "Shift+drag, middle drag", text: "Move the view" },
    { name: "Alt+drag", text: "Of several logs: move the one under the pointer on the axis" },
    { name: "Wheel", text: "Zoom at the pointer; over names: scroll the rows" },
    { name: "Shift+wheel", text: "Move the view" },
    { name: "Pinch", text: "Zoom" },
    { name: "Click", text: "Choose what is there; set the cursor; clear the selection" },
    { name: "Drag in the whole run", text: "Move the view there" },
    { name: "Drag a heading", text: "Move the group of rows" },
    { name: "Drag the line beside the panes", text: "Resize them" },
];
