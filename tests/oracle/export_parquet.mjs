// Reads files of Parquet with DuckDB and hyparquet, whose packages are in the folder that its argument names. Standard input
// has requests: words that end with \x01, then a NUL. A NUL follows each answer; what does not hold ends the program.
//
//   made FILE FROM ROWS   the file is what tests/programs/parquet_rows.c writes: its rows from that one on
//   query QUERY           prints the rows that DuckDB finds
//   same FOLDER…          each has `tables` of one log, as hectic export writes them, and in `wanted` their rows as
//                         JSON lines: {"TABLE": its name}, and then an object for each row
import fs from 'fs'
import path from 'path'
import { createRequire } from 'module'
import { pathToFileURL } from 'url'

const modules = process.argv[2]
const from = createRequire(path.join(modules, 'any.js'))
const load = name => import(pathToFileURL(from.resolve(name)))
const { DuckDBInstance } = (await load('@duckdb/node-api')).default
const { parquetReadObjects, parquetMetadata } = await load('hyparquet')
const { compressors } = await load('hyparquet-compressors')

function fail(text) {
    console.error(text)
    process.exit(1)
}

// --- Readers

let duckdb // a new one for each request

async function readWithDuckDB(file, columns, begin) {
    const names = columns.map(name => `"${name}"`).join()
    const reader = await duckdb.runAndReadAll(
        `SELECT ${names} FROM read_parquet('${file}', hive_partitioning = false, file_row_number = true)
         WHERE file_row_number >= ${begin} ORDER BY file_row_number`)
    return reader.getRows().map(row => row.map(value => (value?.bytes ? Buffer.from(value.bytes) : value)))
}

async function readWithHyparquet(file, columns, begin) {
    const bytes = fs.readFileSync(file)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const rows = await parquetReadObjects({ file: buffer, compressors, utf8: false, rowStart: begin })
    return rows.map(row => columns.map(name => (row[name] instanceof Uint8Array ? Buffer.from(row[name]) : row[name])))
}

const readers = { DuckDB: readWithDuckDB, hyparquet: readWithHyparquet }

function columnsOf(file) {
    const bytes = fs.readFileSync(file)
    const metadata = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    return metadata.schema.slice(1).map(column => column.name)
}

// Compares the rows of a file from that one on; `same` compares values.
async function compare(file, columns, wanted, same, begin = 0) {
    for (const [name, read] of Object.entries(readers)) {
        const found = await read(file, columns, begin)
        if (found.length !== wanted.length) fail(`${file}: ${name}: ${found.length} rows, not ${wanted.length}`)
        for (const [row, values] of wanted.entries())
            for (const [column, value] of values.entries())
                if (!same(found[row][column], value))
                    fail(`${file}: ${name}: row ${row}: ${columns[column]}: ${found[row][column]}, not ${value}`)
    }
}

// --- Statistics: no value is beyond the bounds of its group of rows

async function checkBounds(file, columns) {
    const reader = await duckdb.runAndReadAll(
        `SELECT row_group_id, path_in_schema, row_group_num_rows, stats_null_count, stats_min_value, stats_max_value, type
         FROM parquet_metadata('${file}') ORDER BY row_group_id`)
    const rows = await readWithDuckDB(file, columns, 0)
    let begin = 0n
    for (const [index, [, name, count, nulls, least, most, type]] of reader.getRows().entries()) {
        const values = rows.slice(Number(begin), Number(begin + count)).map(row => row[columns.indexOf(name)])
        const known = values.filter(value => value !== null)
        if (BigInt(values.length - known.length) !== nulls) fail(`${file}: ${name}: ${nulls} nulls`)
        if (type === 'INT64' && known.length > 0) {
            const bounds = known.reduce(([a, b], value) => [value < a ? value : a, value > b ? value : b], [known[0], known[0]])
            if (String(bounds[0]) !== least || String(bounds[1]) !== most) fail(`${file}: ${name}: ${least} … ${most}, not ${bounds}`)
        }
        if (index % columns.length === columns.length - 1) begin += count
    }
}

// --- made

const extremes = [0n, (1n << 64n) - 1n, 1n << 63n, (1n << 63n) - 1n]
const reals = [Infinity, -Infinity, 0, 5e-324]
const any = row => (row % 3 ? BigInt.asUintN(64, BigInt(row) * 0x9e3779b97f4a7c15n) : extremes[Math.floor(row / 3) % 4])
const bytes = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(' bytes'), Buffer.alloc(300)])

function madeRow(row) {
    return [
        BigInt(row * 1000 + (row % 13)),
        BigInt((row % 3) * 1000),
        any(row),
        row < 50000 ? BigInt(row % 5) : any(row),
        row % 997 === 5 ? BigInt(row) : null,
        null,
        row % 7 ? (row - 1000) / 3 : reals[Math.floor(row / 7) % 4],
        row % 3 === 1,
        row % 4 === 3 ? null : `word ${row % 100} €`,
        row % 1000 ? String(row) : String(row).padStart(100, '0'),
        `text ${row < 50000 ? row % 5 : row}`,
        bytes.subarray(0, row % 300),
        BigInt(row % 50 < 29 ? 7 : row % 50),
    ]
}

const isSame = (found, wanted) =>
    Buffer.isBuffer(wanted) ? Buffer.isBuffer(found) && found.equals(wanted) : (found ?? null) === wanted

// --- same

// The numbers of a line of JSON stay exact: as texts that begin with #.
function parseExactly(line) {
    const numbered = line.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, token =>
        token[0] === '"' ? token.replace(/^"#/, '"##') : `"#${token}"`)
    return JSON.parse(numbered)
}

function readWanted(file) {
    const tables = new Map()
    let table
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
        if (line === '') continue
        const value = parseExactly(line)
        if (value.TABLE) tables.set(value.TABLE, (table = []))
        else table.push(value)
    }
    return tables
}

const isNear = (a, b) => a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))

// Are a value of Parquet, and one that hectic sql prints as JSON, the same?
function agree(found, wanted) {
    found ??= null
    if (found === null || wanted === null) return found === wanted
    if (typeof found === 'boolean') return wanted === (found ? '#1' : '#0')
    if (typeof found === 'bigint')
        return wanted === `#${found}` || (/[.e]/.test(wanted) && isNear(Number(found), Number(wanted.slice(1))))
    if (typeof found === 'number') return isNear(found, Number(wanted.slice(1)))
    if (Buffer.isBuffer(found)) return wanted === found.toString('hex')
    // hectic sql prints U+FFFD for NUL and what is no UTF-8; Parquet has the exact form of such texts.
    const text = found.replaceAll('\0', '\uFFFD')
    const exact = text.replace(/\\(\\|x[0-9A-F]{2})/g, (all, escaped) => (escaped === '\\' ? '\\' : '\uFFFD'))
    const printed = wanted.startsWith('##') ? wanted.slice(1) : wanted
    return text === printed || exact === printed
}

// --- Requests

async function made(file, begin, rows) {
    const columns = columnsOf(file)
    await compare(file, columns, Array.from({ length: rows - begin }, (_, row) => madeRow(begin + row)), isSame, begin)
    if (begin === 0) await checkBounds(file, columns)
}

async function query(text) {
    const reader = await duckdb.runAndReadAll(text)
    for (const row of reader.getRows()) fs.writeSync(1, `${row.join(',')}\n`)
}

async function same(folder) {
    const wanted = readWanted(path.join(folder, 'wanted'))
    const written = fs.readdirSync(path.join(folder, 'tables'))
    if (written.length !== wanted.size) fail(`${folder}: ${written.length} tables, not ${wanted.size}`)
    for (const [table, rows] of wanted) {
        const logs = fs.readdirSync(path.join(folder, 'tables', table))
        if (logs.length !== 1 || !logs[0].startsWith('log=')) fail(`${folder}: ${table}: ${logs}`)
        const file = path.join(folder, 'tables', table, logs[0], 'part-0.parquet')
        const columns = columnsOf(file)
        await compare(file, columns, rows.map(row => columns.map(name => row[name])), agree)
    }
}

async function answer(what, ...operands) {
    duckdb = await (await DuckDBInstance.create()).connect()
    if (what === 'made') await made(operands[0], Number(operands[1]), Number(operands[2]))
    else if (what === 'query') await query(operands[0])
    else for (const folder of operands) await same(folder)
    fs.writeSync(1, '\0')
}

let pending = ''
for await (const piece of process.stdin.setEncoding('utf8')) {
    const requests = (pending + piece).split('\0')
    pending = requests.pop()
    for (const request of requests) await answer(...request.split('\x01').slice(0, -1))
}
