module example.com/operational-events

go 1.19
