// Opens files in speedscope, in a browser, and saves what it has imported:
// BROWSER DIRECTORY FILE…, with speedscope and playwright-core in the working directory's node_modules.
// Prints the importer of each file; FILE.saved is speedscope's own format.
const fs = require('fs')
const path = require('path')
const { pathToFileURL } = require('url')
const from = require('module').createRequire(path.join(process.cwd(), 'node_modules/'))
const { chromium } = from('playwright-core')

const page_file = from.resolve('speedscope/dist/release/index.html')
const [browser_path, directory, ...files] = process.argv.slice(2)

// The page is given a script that calls it with the file.
async function open(browser, file) {
    const name = path.basename(file)
    const script = path.join(directory, name + '.js')
    const content = JSON.stringify(fs.readFileSync(file).toString('base64'))
    fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${content})`)

    const page = await browser.newPage({ acceptDownloads: true, viewport: { width: 400, height: 300 } })
    const imported = new Promise((resolve, reject) => {
        let importer
        page.on('console', message => {
            if (message.text().startsWith('Importing ')) importer = message.text()
            if (message.text().startsWith('import: ')) resolve(importer)
        })
        page.on('pageerror', reject)
        page.on('dialog', dialog => reject(new Error(dialog.message())))
    })
    await page.goto(pathToFileURL(page_file) + '#localProfilePath=' + script)
    console.log(name + ': ' + (await imported))
    const download = page.waitForEvent('download')
    // It is shown, and takes keys, a moment after it was imported.
    await page.waitForFunction(() => !document.title.startsWith('speedscope'))
    await page.keyboard.press('Control+s')
    await (await download).saveAs(path.join(directory, name + '.saved'))
    await page.close()
}

async function main() {
    // Rendering by software; the pages are our own, and root has no sandbox.
    const browser = await chromium.launch({
        executablePath: browser_path,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    })
    for (const file of files) await open(browser, file)
    await browser.close()
}

main().catch(error => {
    console.error(error)
    process.exit(1)
})
