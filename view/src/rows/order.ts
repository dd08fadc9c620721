// Lists that are in order of time.

/** The index of the first item whose number is above `limit`. */
export function firstAfter<T>(list: readonly T[], limit: number, number: (item: T) => number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (number(list[middle]!) > limit) high = middle;
        else low = middle + 1;
    }
    return low;
}
