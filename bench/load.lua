-- Sends the requests of a file repeatedly (one per line: method, path and body). Prints the figures as one line of JSON.
local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    if body == "" then body = nil end
    requests[#requests + 1] = wrk.format(method, path, nil, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local e = summary.errors
  local errors = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%f,"errors":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, errors, latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
