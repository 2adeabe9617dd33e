#!/usr/bin/env node
// The screen `item` over lines, with what Node brings. The item 13 goes back, and a negative one fails.
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');

const [program, ...words] = (process.env.FLOWBUS_CONNECT ?? 'flowbusctl connect').split(' ');
const bus = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
const say = (line) => bus.stdin.write(JSON.stringify(line) + '\n');

say({ serve: 'com.example.Item' });
createInterface({ input: bus.stdout }).on('line', (text) => {
    const line = JSON.parse(text);
    if ('present' in line) {
        const { call, instance, arguments: { item }, details: { state } } = line;
        const seen = (state?.seen ?? 0) + 1;
        say({ answer: call, visible: true });
        say({ save: instance, state: { seen } });
        say({ show: instance, title: `Item ${item}, seen ${seen}` });
        if (item < 0) say({ dismiss: instance, error: 'com.example.Error.NoItem', message: `there is no item ${item}` });
        if (item === 13) say({ back: instance });
    } else if ('withdraw' in line) {
        console.error(`withdrawn: ${line.instance} ${line.reason}`);
    } else if ('error' in line) {
        console.error(`error: ${line.message}`);
    }
});
